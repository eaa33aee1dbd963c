/**
 * Taking an operation back: which one, whether that can be, what it would do, and doing it in batches. What becomes of each
 * target is decided by the store, inside the transaction that restores it; an undo is an operation itself.
 */
import type { Clock } from '../clock.ts'
import { WfError } from '../errors.ts'
import {
  isUndone,
  operationState,
  undoableVerbs,
  type JobChangeImage,
  type Operation,
  type OperationTarget,
  type Undone,
} from '../domain/operation.ts'
import { commandOf, finalBecause } from '../messages/operation-messages.ts'
import { undoBreaker, undoJob, undoPause, undoUnknown } from '../domain/undo.ts'
import type { Store, StoreReader } from '../store/port.ts'
import { batchSize, leaveRoom } from './bulk.ts'
import { asOperation } from './operation-log.ts'
import { undo } from './plans/undo.ts'
import { type Paged, pagesOf } from '../store/page.ts'

/** The operation of this id, or the last one that can be taken back. Throws WfErrors `not_found` and `conflict` that say why not. */
export async function operationToUndo(
  reader: StoreReader,
  id: number | null,
  now: number,
): Promise<Operation> {
  if (id === null) {
    const [last] = (await reader.operations({ undoable: true }, { limit: 1 })).items
    if (!last)
      throw new WfError('not_found', 'there is nothing to undo', {
        hint: 'wf audit list shows what was done',
      })
    return checked(last, now)
  }
  const operation = await reader.operation(id)
  if (!operation)
    throw new WfError('not_found', `there is no operation ${id}`, {
      hint: 'old ones are pruned; wf audit list shows what there is',
    })
  return checked(operation, now)
}

function checked(operation: Operation, now: number): Operation {
  const why = whyNotUndone(operation, now)
  if (why === null) return operation
  throw new WfError('conflict', why.message, { hint: why.hint })
}

/** Null: it can be taken back, as far as the operation itself goes. */
export function whyNotUndone(operation: Operation, now: number): { message: string; hint: string } | null {
  const { id, verb, undoneBy, undoes, changed } = operation
  if (verb === 'undo') {
    return {
      message: `operation ${id} is an undo itself, of operation ${undoes ?? '?'}: it cannot be undone`,
      hint: 'do again what was undone',
    }
  }
  const final = finalBecause(verb)
  if (final !== null || !undoableVerbs.includes(verb)) {
    return {
      message: `operation ${id} (${commandOf(verb)}) cannot be undone: ${final ?? 'it is final'}`,
      hint: `wf audit show ${id}`,
    }
  }
  if (isUndone(operation))
    return {
      message: `operation ${id} was undone already, by operation ${undoneBy}`,
      hint: `wf audit show ${undoneBy}`,
    }
  if (changed === 0) return { message: `operation ${id} changed nothing`, hint: `wf audit show ${id}` }
  if (operationState(operation, now) === 'at work')
    return {
      message: `operation ${id} is still at work`,
      hint: 'stop it first, or wait for its end; if its process was killed, that is known a minute after its last change',
    }
  return null
}

export interface UndoOptions {
  store: Store
  clock: Clock
  of: Operation
  who: string
  reason: string | null
  signal?: AbortSignal
  onBatch?(undone: readonly Undone[]): void
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
