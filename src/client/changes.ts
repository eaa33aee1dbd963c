/** What a program changes about jobs that are there: each call is one operation, which can be looked up and undone. */
import type { Clock } from '../clock.ts'
import type { Undone } from '../domain/operation.ts'
import { namedWords } from '../messages/operation-messages.ts'
import { parseRate } from '../text/rate.ts'
import type { Applied, Resolution, VariableChange } from '../domain/resolution.ts'
import { changeInBatches } from '../engine/bulk.ts'
import { withinSizes, type Engine } from '../engine/engine.ts'
import { foretellPurge, foretellResolution } from '../engine/dry-run.ts'
import { asOperation, flagsOf } from '../engine/operation-log.ts'
import { purgeMany } from '../engine/purge.ts'
import { foretellUndo, operationToUndo, undoablePages, undoOperation } from '../engine/undo.ts'
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

export interface ChangedBy {
  engine: Engine
  clock: Clock
  who: string
}

export const paceOf = ({
  rate,
  signal,
}: {
  rate?: string | undefined
  signal?: AbortSignal | undefined
}) => ({
  ...(rate === undefined ? {} : { perSecond: parseRate(rate, 'rate') }),
  ...(signal === undefined ? {} : { signal }),
})

/** One operation, whatever becomes of it. */
export async function changeMany(
  { engine, clock, who }: ChangedBy,
  keys: readonly number[],
  {
    reason: why,
    rate,
    signal,
    dryRun = false,
    ...chosen
  }: Omit<Resolution, 'jobKey' | 'who' | 'reason'> & ChangeOptions,
): Promise<readonly Applied[]> {
  const [distinct, reason] = [[...new Set(keys)], why ?? null]
  if (distinct.length === 0) return []
  const resolution = { ...chosen, who, reason }
  if (dryRun) return foretold(engine, distinct, resolution)
  const pace = paceOf({ rate, signal })
  const flags = {
    ...flagsOf(resolution),
    ...(pace.perSecond === undefined ? {} : { perSecond: pace.perSecond }),
  }
  const named = {
    verb: resolution.verb,
    who,
    reason,
    selector: namedWords(distinct),
    flags,
    matched: distinct.length,
  }
  return collected(distinct.length, (onBatch) =>
    asOperation(engine.store, named, (operation) =>
      changeInBatches({ engine, clock, keys: distinct, resolution, onBatch, ...pace }, operation),
    ),
  )
}

async function foretold(
  engine: Engine,
  keys: readonly number[],
  resolution: Omit<Resolution, 'jobKey'>,
): Promise<readonly Applied[]> {
  const answers: Applied[] = []
  for (const jobKey of keys)
    answers.push(
      (await foretellResolution(engine.store, withinSizes({ ...resolution, jobKey }, engine.sizes))).applied,
    )
  return answers
}

export async function purge(
  { engine: { store }, clock, who }: ChangedBy,
  keys: readonly number[],
  { open = false, reason, dryRun = false, ...options }: PurgeOptions,
): Promise<readonly Applied[]> {
  const distinct = [...new Set(keys)]
  if (distinct.length === 0) return []
  if (dryRun) return foretellPurge(store, distinct, open)
  return collected(distinct.length, (onBatch) =>
    purgeMany({
      store,
      clock,
      keys: distinct,
      open,
      who,
      reason: reason ?? null,
      selector: namedWords(distinct),
      onBatch,
      ...paceOf(options),
    }),
  )
}

/** The answers of all batches; what was answered before a failure is not lost with it. */
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
  const done = `${results.length} of ${of} jobs were looked at`
  return new PartlyChangedError({
    results,
    cause,
    done,
    hint: 'do it again with all keys: what is done already is skipped',
  })
}

export type UndoOptions = Omit<ChangeOptions, 'rate'>

export async function undo(
  { engine: { store }, clock, who }: ChangedBy,
  id: number,
  { reason, signal, dryRun = false }: UndoOptions,
): Promise<readonly Undone[]> {
  const undone: Undone[] = []
  const of = await operationToUndo(store, id, store.now())
  if (!dryRun) {
    await undoOperation({
      store,
      clock,
      who,
      reason: reason ?? null,
      of,
      ...(signal ? { signal } : {}),
      onBatch: (batch) => undone.push(...batch),
    })
    return undone
  }
  for await (const { items } of undoablePages(store, of.id)) {
    for (const target of items) undone.push(await foretellUndo(store, target, store.now()))
  }
  return undone
}
