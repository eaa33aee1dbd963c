/**
 * One verb over many jobs whose keys are fixed: small transactions with room between them for workers, at a pace when
 * one is asked for, and an end between any two of them when somebody stops it. All of it is one operation.
 */
import type { Clock } from '../clock.ts'
import type { NewTarget, Operation } from '../domain/operation.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import { writer, type Engine } from './engine.ts'
import { asOperation, flagsOf } from './operation-log.ts'
import { addTarget } from './plans/operations.ts'

export interface Bulk {
  engine: Engine
  clock: Clock
  /** Each once. */
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey'>
  /** What was meant, in words. */
  selector: string
  /** Meant too, and passed by for a reason. */
  passedBy?: readonly { jobKey: number; why: string }[]
  /** Jobs a second, at most; unset: as fast as others leave room. */
  perSecond?: number | undefined
  /** Stops between two batches. */
  signal?: AbortSignal | undefined
  /** The record's number, before anything is changed. */
  onBegin?: ((operation: number) => void) | undefined
  /** After each batch. */
  onBatch?: ((applied: readonly Applied[]) => void) | undefined
}

/** Jobs a transaction: small enough that workers are not held up. */
export const batchSize = 100
/** Rows that only say what is meant are quicker. */
const recordBatch = 500
const longestRestMs = 20
/** A slow pace is kept by small batches rather than by long waits. */
const batchesPerSecond = 10

/** The operation as it ended; with targets left when it was stopped. Rejects with the store's error; the record then tells what was done. */
export async function changeMany(bulk: Bulk): Promise<Operation> {
  const { engine, keys, resolution, selector, passedBy = [], perSecond } = bulk
  const { verb, who, reason } = resolution
  const flags = { ...flagsOf(resolution), ...(perSecond === undefined ? {} : { perSecond }) }
  const named = { verb, who, reason, selector, flags, matched: keys.length + passedBy.length }
  const { operation } = await asOperation(engine[writer], named, async (id) => {
    bulk.onBegin?.(id)
    await recordPassedBy(bulk, id)
    await recordMeant(bulk, id)
    await changeInBatches(bulk, id)
  })
  return operation
}

/** As part of an operation that is under way. All of them, or its counts would not add up. */
export function recordPassedBy(
  { engine, clock, passedBy = [] }: Pick<Bulk, 'engine' | 'clock' | 'passedBy'>,
  id: number,
): Promise<void> {
  return record({ engine, clock }, passedBy, {
    id,
    targetOf: ({ jobKey, why }) => ({ jobKey, name: '', status: 'skipped', why, image: null }),
  })
}

/**
 * Before anything is changed, so that what was not reached can be told by its key. A single batch needs no such record: it is
 * changed as a whole or not at all.
 */
async function recordMeant(bulk: Bulk, id: number): Promise<void> {
  const { keys, perSecond } = bulk
  if (keys.length <= batchSize && perSecond === undefined) return
  await record(bulk, keys, {
    id,
    targetOf: (jobKey) => ({ jobKey, name: '', status: 'pending', why: '', image: null }),
  })
}

async function record<T>(
  { engine, clock, signal }: Pick<Bulk, 'engine' | 'clock' | 'signal'>,
  items: readonly T[],
  { id, targetOf }: { id: number; targetOf: (item: T) => NewTarget },
): Promise<void> {
  const store = engine[writer]
  for (let start = 0; start < items.length && !signal?.aborted; start += recordBatch) {
    const beganMs = clock.monotonic()
    const targets = items
      .slice(start, start + recordBatch)
      .map((item) => ({ operation: id, target: targetOf(item) }))
    await store.transact(addTarget, targets, store.now())
    await leaveRoom(clock, beganMs, signal)
  }
}

/** After a transaction that began at `beganMs` others get as long as it took, up to a bound. */
export function leaveRoom(clock: Clock, beganMs: number, signal: AbortSignal | undefined): Promise<void> {
  return rest(clock, Math.min(longestRestMs, clock.monotonic() - beganMs), signal)
}

async function rest(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await clock.sleep(ms, signal)
}

/** As part of an operation that is under way; `passedBy` and `selector` are the operation's. */
export async function changeInBatches(
  bulk: Omit<Bulk, 'passedBy' | 'selector'>,
  operation: number,
): Promise<void> {
  const { engine, resolution } = bulk
  await inBatches(bulk, (keys) =>
    engine.resolve(keys.map((jobKey) => ({ ...resolution, jobKey, operation }))),
  )
}

/** Hands `change` a batch after the other, at the pace that is asked for and with room for others. */
export async function inBatches(
  {
    clock,
    keys,
    perSecond,
    signal,
    onBatch,
  }: Pick<Bulk, 'clock' | 'keys' | 'perSecond' | 'signal' | 'onBatch'>,
  change: (keys: readonly number[]) => Promise<readonly Applied[]>,
): Promise<void> {
  const size =
    perSecond === undefined
      ? batchSize
      : Math.min(batchSize, Math.max(1, Math.floor(perSecond / batchesPerSecond)))
  const startedMs = clock.monotonic()
  for (let done = 0; done < keys.length && !signal?.aborted; ) {
    const beganMs = clock.monotonic()
    const batch = keys.slice(done, done + size)
    const applied = await change(batch)
    done += batch.length
    onBatch?.(applied)
    if (done === keys.length) return
    if (perSecond === undefined) await leaveRoom(clock, beganMs, signal)
    else await rest(clock, startedMs + (done / perSecond) * 1_000 - clock.monotonic(), signal)
  }
}
