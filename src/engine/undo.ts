/** Undoes an operation in batches, as an operation of its own. The store decides about each target in the transaction that restores it. */
import type { Clock } from '../clock.ts'
import type { JobChangeImage, Operation, OperationTarget, Undone } from '../domain/operation.ts'
import { undoBreaker, undoJob, undoPause, undoUnknown } from '../domain/undo.ts'
import type { Store, StoreReader } from '../store/port.ts'
import { batchSize, leaveRoom } from './bulk.ts'
import { asOperation } from './operation-log.ts'
import { undo } from './plans/undo.ts'
import { type Paged, pagesOf } from '../store/page.ts'

export interface UndoOptions {
  store: Store
  clock: Clock
  of: Operation
  who: string
  reason: string | null
  signal?: AbortSignal | undefined
  onBatch?: ((undone: readonly Undone[]) => void) | undefined
}

/** The undo's own operation as it ended; with targets left when it was stopped. */
export async function undoOperation(options: UndoOptions): Promise<Operation> {
  const { store, of, who, reason } = options
  const matched = await undoableCount(store, of)
  const named = {
    verb: 'undo' as const,
    who,
    reason,
    selector: `operation ${of.id}`,
    flags: {},
    matched,
    undoes: of.id,
  }
  const { operation } = await asOperation(store, named, (id) => undoInBatches(options, id))
  return operation
}

/** All that it changed, but for what an undo that was broken off has brought back. */
async function undoableCount(store: StoreReader, { id }: Operation): Promise<number> {
  let count = 0
  for await (const page of undoablePages(store, id)) count += page.items.length
  return count
}

async function undoInBatches(
  { store, clock, of, who, reason, signal, onBatch }: UndoOptions,
  operation: number,
): Promise<void> {
  for await (const { items } of undoablePages(store, of.id)) {
    if (signal?.aborted || items.length === 0) return
    const beganMs = clock.monotonic()
    const targets = items.map(({ jobKey, name, image }) => ({
      ...{ jobKey, name, of: of.id, operation, who, reason },
      hasVariables: image?.of === 'job' && image.variables !== undefined,
    }))
    const undone = await store.transact(undo, targets, store.now())
    onBatch?.(undone)
    if (items.length === batchSize) await leaveRoom(clock, beganMs, signal)
  }
}

/** What is brought back leaves the list, and the next page begins behind it all the same. */
export function undoablePages(reader: StoreReader, id: number): AsyncGenerator<Paged<OperationTarget>> {
  return pagesOf((page) => reader.operationTargets(id, page, true), { size: batchSize })
}

/** What an undo would make of a target now, by the rules that the store applies. */
export async function foretellUndo(
  reader: StoreReader,
  { jobKey, name, image }: OperationTarget,
  now: number,
): Promise<Undone> {
  const answer = (status: Undone['status'], why: string, partly = false): Undone => ({
    jobKey,
    name,
    status,
    why,
    partly,
  })
  if (image === null) {
    const { status, why } = undoUnknown({ jobKey, name }, (await reader.job(jobKey)) !== null)
    return answer(status, why)
  }
  if (image.of === 'job') {
    const undone = await foretellJob(reader, jobKey, image)
    return answer(undone.status, undone.why, undone.status === 'changed' && undone.partly)
  }
  if (image.of === 'breaker') {
    const refusal = undoBreaker(name, image, (await reader.breaker(name))?.generation ?? null)
    return refusal ? answer(refusal.status, refusal.why) : answer('changed', '')
  }
  const undone = undoPause(name, image, (await reader.types(now)).find(({ type }) => type === name) ?? null)
  return undone.status === 'changed' ? answer('changed', '') : answer(undone.status, undone.why)
}

async function foretellJob(reader: StoreReader, jobKey: number, image: JobChangeImage) {
  const detail = await reader.job(jobKey)
  return undoJob(jobKey, image, {
    job: detail?.job ?? null,
    variables: detail?.variables ?? '',
    incidentThere:
      detail?.incidents.some(({ id, resolvedAt }) => id === image.incident && resolvedAt !== null) === true,
    deadLetterThere:
      detail?.deadLetter?.receivedAt === image.deadLetterAt && detail?.deadLetter?.closedAt !== null,
  })
}
