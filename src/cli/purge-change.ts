/** Dead letters that are to be deleted: counted beforehand, told with `--dry-run`, or done. */
import type { Clock } from '../clock.ts'
import type { WfError } from '../domain/errors.ts'
import { purgeMany } from '../engine/purge.ts'
import type { Selector, Store } from '../store/store.ts'
import { selectorWords } from './bulk-change.ts'
import { ChangeTally, tellChanges, type Change } from './changes.ts'
import { toWfError } from './errors.ts'
import type { ExitCode } from './exit-codes.ts'
import { onInterrupt, type Interrupt } from './interrupt.ts'
import { warnFinal } from './operation-line.ts'
import type { Output } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import { who } from './who.ts'

export interface PurgeChange {
  store: Store
  keys: readonly number[]
  /** What was meant, for the record. */
  selector: Selector
  open: boolean
  reason: string | null
  dryRun: boolean
  perSecond: number | undefined
}

/** What happens to those that change. */
export const purged = 'deleted for good'
export const purgedNoun = 'dead letter'

interface Run {
  tally: ChangeTally
  interrupt: Interrupt
  progress: Progress
}

export async function purgeLetters(output: Output, { clock, suffix }: { clock: Clock; suffix: string }, change: PurgeChange): Promise<ExitCode> {
  const { keys, dryRun } = change
  const run = { tally: new ChangeTally({ keepsAll: output.json }), interrupt: onInterrupt(), progress: createProgress(output, clock, 'dead letters') }
  const { tally, interrupt, progress } = run
  let ended: { failure: WfError | null; id: number | null }
  try {
    if (!dryRun) warnFinal(output, 'purge')
    ended = dryRun ? await foretell(change, run) : await purgeAll(clock, change, run)
  } finally {
    progress.end()
    interrupt.release()
  }
  const { failure, id } = ended
  const operation = id === null ? null : { id, verb: 'purge' as const, changed: tally.counts.changed, suffix }
  const told = { noun: purgedNoun, done: purged, dryRun, matched: keys.length, failure, operation, impact: [] }
  return tellChanges(output, tally, { ...told, stoppedWith: interrupt.exitCode })
}

async function purgeAll(
  clock: Clock,
  change: PurgeChange,
  { tally, interrupt, progress }: Run,
): Promise<{ failure: WfError | null; id: number | null }> {
  const { store, keys, open, reason, perSecond } = change
  if (keys.length === 0) return { failure: null, id: null }
  let begun: number | null = null
  try {
    await purgeMany({
      ...{ store, clock, keys, open, reason, who: who(), signal: interrupt.signal, selector: selectorWords(change) },
      ...(perSecond === undefined ? {} : { perSecond }),
      onBegin(id) {
        begun = id
      },
      onBatch(applied) {
        tally.add(applied)
        progress.update(tally.total, tally.total / keys.length)
      },
    })
    return { failure: null, id: begun }
  } catch (error) {
    // What is done already must not be lost with the error.
    if (tally.total === 0) throw error
    return { failure: toWfError(error, ''), id: begun }
  }
}

async function foretell({ store, keys, open }: PurgeChange, { tally, interrupt }: Run): Promise<{ failure: null; id: null }> {
  for (const jobKey of keys) {
    if (interrupt.signal.aborted) break
    tally.add([await foretold(store, jobKey, open)])
  }
  return { failure: null, id: null }
}

async function foretold(store: Store, jobKey: number, open: boolean): Promise<Change> {
  const [letter, detail] = [await store.deadLetter(jobKey), await store.job(jobKey)]
  const from = detail?.job.state ?? null
  const kept = (status: Change['status'], why: string): Change => ({ jobKey, status, from, to: from, why })
  if (letter === null) return kept('not_found', `there is no dead letter of job ${jobKey}`)
  if (letter.closedAt === null && !open) return kept('skipped', `the dead letter of job ${jobKey} is open: retry or discard it, or purge with --open`)
  return { jobKey, status: 'changed', from, to: letter.closedAt === null && from !== null ? 'cancelled' : from, why: '' }
}
