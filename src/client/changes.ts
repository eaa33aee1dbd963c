/** Changes jobs that exist; each call is one operation, which can be shown and undone. */
import type { Undone } from '../domain/operation.ts'
import type { Applied, VariableChange } from '../domain/resolution.ts'
import type { ActionContext } from '../engine/actions/action.ts'
import { applyJobs, planJobs, previewJobs, type JobChange } from '../engine/actions/change-jobs.ts'
import { applyPurge, planPurge, previewPurge } from '../engine/actions/purge.ts'
import { applyUndo, planUndo, previewUndo } from '../engine/actions/undo.ts'
import { undoable } from '../messages/operation-messages.ts'
import { parseRate } from '../text/duration.ts'
import { PartlyDoneError } from './batches.ts'

/** A WfError `partly_done` of `resolve`, `resolveVerified`, `retry`, `cancel`, `discard`, `purge` and `update`. */
export class PartlyChangedError extends PartlyDoneError<Applied> {}

export interface ChangeOptions {
  /** For the record. */
  reason?: string
  /** At most so many a second, a minute or an hour: `20/s`, `90/m`. Unset: as fast as workers leave room. */
  rate?: string
  /** Stops between two transactions: the answers are of what was done by then, and the rest is as it was. */
  signal?: AbortSignal
  /** Only answers what would become of each; nothing is changed, and no operation recorded. */
  dryRun?: boolean
}

export interface AgainOptions {
  /** Executions, 1 … 1,000; default: what is left, else the number enqueued with. */
  retries?: number
  set?: readonly VariableChange[]
  /** Its effects are made anew: its steps are forgotten, and its `ctx.idempotencyKey` is another. */
  newEffects?: boolean
}

export interface ResolveOptions extends AgainOptions, ChangeOptions {}

export interface UpdateOptions extends ChangeOptions {
  /** Executions left, 1 … 1,000. */
  retries?: number
  /** Higher starts first; −1,000,000 … 1,000,000. */
  priority?: number
  /** Not before; one that has passed makes them due now. */
  at?: Date
}

export interface PurgeOptions extends ChangeOptions {
  /** Open ones too: their jobs are cancelled for good first. Default false: those are skipped. */
  open?: boolean
}

export const paceOf = (rate: string | undefined) => (rate === undefined ? undefined : parseRate(rate, 'rate'))

/** Changes jobs by key, as one operation; a dry run records none. */
export async function changeJobs(
  actions: ActionContext,
  keys: readonly number[],
  { reason, rate, signal, dryRun = false, ...change }: ChangeOptions & Omit<JobChange, 'reason'>,
): Promise<readonly Applied[]> {
  const { reader } = actions.engine
  const distinct = [...new Set(keys)]
  const input = {
    change: { ...change, reason: reason ?? null },
    list: 'jobs',
    keys: distinct,
    selector: {},
  } as const
  const plan = await planJobs(reader, input)
  const perSecond = paceOf(rate)
  return collected(distinct.length, (onBatch) =>
    dryRun
      ? previewJobs(actions, plan, { signal, onBatch })
      : applyJobs(actions, plan, { perSecond, signal, onBatch }),
  )
}

export async function purge(
  actions: ActionContext,
  keys: readonly number[],
  { open = false, reason: why, rate, signal, dryRun = false }: PurgeOptions,
): Promise<readonly Applied[]> {
  const [distinct, reason] = [[...new Set(keys)], why ?? null]
  const plan = await planPurge(actions.engine.reader, { keys: distinct, selector: {}, open, reason })
  const perSecond = paceOf(rate)
  return collected(distinct.length, (onBatch) =>
    dryRun
      ? previewPurge(actions, plan, { signal, onBatch })
      : applyPurge(actions, plan, { perSecond, signal, onBatch }),
  )
}

/** Returns the results of all batches; those before a failure are in the error. */
async function collected(
  of: number,
  work: (onBatch: (applied: readonly Applied[]) => void) => Promise<unknown>,
): Promise<readonly Applied[]> {
  const results: Applied[] = []
  try {
    await work((applied) => results.push(...applied))
  } catch (cause) {
    throw results.length === 0 ? cause : partlyChanged(results, of, cause)
  }
  return results
}

export function partlyChanged(results: readonly Applied[], of: number, cause: unknown): PartlyChangedError {
  return new PartlyChangedError({
    results,
    cause,
    done: `${results.length} of ${of} jobs were processed`,
    hint: 'repeat the call with all keys: jobs that were changed are skipped',
  })
}

export type UndoOptions = Omit<ChangeOptions, 'rate'>

export async function undo(
  actions: ActionContext,
  id: number,
  { reason, signal, dryRun = false }: UndoOptions,
): Promise<readonly Undone[]> {
  const { engine } = actions
  const of = undoable(await planUndo(engine.reader, id, engine.now()))
  const undone: Undone[] = []
  const run = { signal, onBatch: (batch: readonly Undone[]) => undone.push(...batch) }
  await (dryRun ? previewUndo(engine, of, run) : applyUndo(actions, { of, reason: reason ?? null }, run))
  return undone
}
