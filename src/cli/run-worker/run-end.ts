/** How a run of workers ended: what is said of it, and the exit code. */
import type { LeftBehind } from '../../engine/drained.ts'
import type { Logger } from '../../logger.ts'
import { stopped, outcomeSummary, type OutcomeCounts } from '../../worker/outcome-counts.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { iso } from '../../terminal/json.ts'
import { quoted } from '../../text/shell-words.ts'
import { counted } from '../../terminal/time.ts'

export interface RunEnd {
  why: 'drained' | 'stopped' | 'empty' | 'max_jobs' | 'panic'
  counts: OutcomeCounts
  /** False: the store did not take back in time what was unfinished. */
  allReturned: boolean
}

export interface TellEnd {
  end: RunEnd
  /** What an --until-empty run leaves. */
  left: readonly LeftBehind[]
  seconds: number
  /** Behind commands that are shown to be copied: names the store where it is not the usual one. */
  suffix: string
}

export function tellEnd(log: Logger, { end, left, seconds, suffix }: TellEnd): void {
  const { why, counts, allReturned } = end
  for (const each of left)
    log[each.because === 'paused' ? 'warn' : 'info'](leftWords(each, suffix), { ...each })
  const after = `after ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  log.info(`worker stopped ${after}; ${outcomeSummary(counts)}`, { why, tally: counts })
  if (!allReturned)
    log.error(
      'the store did not take back the unfinished jobs; they start elsewhere when their leases expire',
    )
  if ((counts.failed ?? 0) > 0) log.info(`See them with: wf incidents list${suffix}`)
  if ((counts.dead ?? 0) > 0) log.info(`See dead letters with: wf dlq list${suffix}`)
}

function leftWords({ type, count, because, untilAt }: LeftBehind, suffix: string): string {
  const jobs = `${counted(count, 'job')} of ${type} ${count === 1 ? 'stays' : 'stay'}`
  const until = untilAt === undefined ? '' : ` until ${iso(untilAt)}`
  if (because === 'paused')
    return `${jobs}: the type is paused${until}; wf types resume ${quoted(type)}${suffix}`
  return because === 'delay' ? `${jobs}: not due yet` : `${jobs}: no handler here takes the type`
}

export function exitCodeOf(
  { why, counts, allReturned }: RunEnd,
  { untilEmpty }: { untilEmpty: boolean },
): ExitCode {
  if (why === 'stopped') return exitCodes.interrupted
  if (!allReturned) return exitCodes.store
  if (why === 'panic') return exitCodes.unexpected
  return untilEmpty && why === 'empty' && stopped(counts) > 0 ? exitCodes.notSuccessful : exitCodes.ok
}
