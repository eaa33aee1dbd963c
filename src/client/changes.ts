/** What a program changes about jobs that are there: each call is one operation, which can be looked up and undone. */
import type { Clock } from '../clock.ts'
import type { Undone } from '../domain/operation.ts'
import { namedWords } from '../domain/operation-words.ts'
import type { Applied, VariableChange } from '../domain/resolution.ts'
import { changeInBatches, type Bulk } from '../engine/bulk.ts'
import { asOperation, flagsOf } from '../engine/operations.ts'
import { operationToUndo, undoOperation } from '../engine/undo.ts'
import type { Store } from '../store/store.ts'
import { PartlyDoneError } from './batches.ts'

/** A WfError `partly_done` of `resolve`, `resolveVerified`, `retry`, `cancel`, `discard` and `update`. */
export class PartlyChangedError extends PartlyDoneError<Applied> {}

export interface ResolveOptions {
  /** Executions, 1 … 1,000; default: what is left, else the number enqueued with. */
  retries?: number
  set?: readonly VariableChange[]
  /** Its effects are made anew: its steps are forgotten, and its `ctx.idempotencyKey` is another. */
  newEffects?: boolean
  reason?: string
}

export interface UpdateOptions {
  /** Executions left, 1 … 1,000. */
  retries?: number
  /** Higher starts first; −1,000,000 … 1,000,000. */
  priority?: number
  /** Not before; one that has passed makes them due now. */
  at?: Date
  reason?: string
}

/** One operation, whatever becomes of it. */
export async function changeMany(change: Pick<Bulk, 'engine' | 'clock' | 'keys' | 'resolution'>): Promise<readonly Applied[]> {
  const { engine, keys, resolution } = change
  if (keys.length === 0) return []
  const { verb, who, reason } = resolution
  const named = { verb, who, reason, selector: namedWords(keys), flags: flagsOf(resolution), matched: new Set(keys).size }
  const results: Applied[] = []
  try {
    await asOperation(engine.store, named, (operation) => changeInBatches({ ...change, onBatch: (applied) => results.push(...applied) }, operation))
  } catch (cause) {
    throw results.length === 0 ? cause : partlyChanged(results, keys.length, cause)
  }
  return results
}

export function partlyChanged(results: readonly Applied[], of: number, cause: unknown): PartlyChangedError {
  const done = `${results.length} of ${of} jobs were looked at`
  return new PartlyChangedError({ results, cause, done, hint: 'do it again with all keys: what is done already is skipped' })
}

export async function undo(by: { store: Store; clock: Clock; who: string; reason: string | null }, id: number): Promise<readonly Undone[]> {
  const undone: Undone[] = []
  const of = await operationToUndo(by.store, id, by.store.now())
  await undoOperation({ ...by, of, onBatch: (batch) => undone.push(...batch) })
  return undone
}
