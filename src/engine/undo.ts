/** Undoes an operation in batches, as an operation of its own. Each target is decided about in the transaction that restores it. */
import type { Clock } from '../clock.ts'
import type { Operation, OperationTarget, Undone } from '../domain/operation.ts'
import type { Store, StoreReader } from '../store/port.ts'
import { batchSize, leaveRoom } from './bulk.ts'
import { asOperation } from './operation-log.ts'
import { restored, restoredFacts, undo, type UndoTarget } from './plans/undo.ts'
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
    const targets = items.map((target) => undoTarget(target, { of: of.id, operation, who, reason }))
    const undone = await store.transact(undo, targets, store.now())
    onBatch?.(undone)
    if (items.length === batchSize) await leaveRoom(clock, beganMs, signal)
  }
}

/** What is brought back leaves the list, and the next page begins behind it all the same. */
export function undoablePages(reader: StoreReader, id: number): AsyncGenerator<Paged<OperationTarget>> {
  return pagesOf((page) => reader.operationTargets(id, page, true), { size: batchSize })
}

/** What an undo would make of a target now. */
export async function foretellUndo(
  reader: Pick<StoreReader, 'facts'>,
  target: OperationTarget,
  now: number,
): Promise<Undone> {
  const { jobKey, name } = target
  const item = undoTarget(target, { of: 0, operation: 0, who: '', reason: null })
  const facts = await reader.facts(restoredFacts(item))
  const { status, why, partly = false } = restored(item, target, { facts, now }).outcome
  return { jobKey, name, status, why, partly }
}

function undoTarget(
  { jobKey, name, image }: OperationTarget,
  undoing: Omit<UndoTarget, 'jobKey' | 'name' | 'hasVariables'>,
): UndoTarget {
  return { ...undoing, jobKey, name, hasVariables: image?.of === 'job' && image.variables !== undefined }
}
