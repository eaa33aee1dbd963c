/** What became of jobs that a verb was about, and a sum that always adds up: matched = changed + skipped + failed. */
import { WfError } from '../domain/errors.ts'
import type { JobState } from '../domain/job.ts'
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes.ts'
import { describeError, DetailedError, errorDocument } from './errors.ts'
import type { Output } from './output.ts'
import { say } from './safe.ts'
import { counted, thousands } from './time.ts'

export interface Change {
  jobKey: number
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  from: JobState | null
  to: JobState | null
  /** A finished sentence for people; empty when changed. */
  why: string
}

export interface Told {
  /** `resolved`, `cancelled`: what happened to those that changed. */
  done: string
  dryRun: boolean
  /** Of how many; more than were answered when something or somebody stopped it. */
  matched: number
  /** What stopped it. */
  failure: WfError | null
  /** When somebody stopped it. */
  stoppedWith: ExitCode | null
}

const mostTold = 20

/** Prints what became of each and the sum; answers the exit code. */
export function tellChanges(output: Output, changes: readonly Change[], told: Told): ExitCode {
  const sum = summed(changes, told.matched)
  const error = problemOf(changes, sum, told)
  output.document({
    ...sum,
    dryRun: told.dryRun,
    items: changes.map(({ jobKey, ...rest }) => ({ key: jobKey, ...rest })),
    ...(error ? { error: errorDocument(error) } : {}),
  })
  // One job that could not be changed: the error says it all.
  if (!error || told.matched > 1) tellEach(output, changes, told)
  if (error) describeError(error, output)
  if (!error) return exitCodes.ok
  return sum.left > 0 && told.stoppedWith !== null ? told.stoppedWith : exitCodeOf(error.code)
}

function tellEach(output: Output, changes: readonly Change[], { done, dryRun, matched }: Told): void {
  const { dim, green, red } = output.paint
  const others = changes.filter(({ status }) => status !== 'changed')
  for (const { status, jobKey, why } of others.slice(0, mostTold)) {
    const word = status === 'skipped' ? dim(say`skipped`) : red(say`failed`)
    output.print(say`${word} ${jobKey}  ${why}`)
  }
  if (others.length > mostTold) output.print(say`${dim(say`… and ${thousands(others.length - mostTold)} more that did not change`)}`)
  const sum = summed(changes, matched)
  const verb = dryRun ? say`would be ${done}` : green(say`${done}`)
  output.print(
    say`${counted(sum.changed, 'job')} ${verb}  ${dim(say`matched ${sum.matched} = ${sum.changed} changed + ${sum.skipped} skipped + ${sum.failed} failed`)}`,
  )
  if (sum.left > 0) output.note(say`stopped: ${counted(sum.left, 'job')} left as they were`)
}

function summed(changes: readonly Change[], intended: number) {
  const count = (...statuses: readonly Change['status'][]) => changes.filter(({ status }) => statuses.includes(status)).length
  return {
    matched: changes.length,
    changed: count('changed'),
    skipped: count('skipped'),
    failed: count('failed', 'not_found'),
    left: intended - changes.length,
  }
}

/** One job that cannot be done is the answer itself; some of several are a part. */
function problemOf(changes: readonly Change[], sum: ReturnType<typeof summed>, { matched, failure }: Told): WfError | null {
  if (sum.left > 0) return broken(`stopped after ${thousands(sum.matched)} of ${counted(matched, 'job')}`, failure)
  if (sum.failed === 0) return null
  const failures = changes.filter(({ status }) => status === 'failed' || status === 'not_found')
  const [first] = failures
  if (sum.failed < sum.matched) return new WfError('partly_done', `${thousands(sum.failed)} of ${counted(sum.matched, 'job')} could not be changed`)
  const code = failures.every(({ status }) => status === 'not_found') ? 'not_found' : 'conflict'
  return new WfError(code, first?.why ?? '', {
    hint: code === 'not_found' ? 'wf jobs list shows the keys of this store' : `wf jobs show ${first?.jobKey ?? ''}`,
  })
}

function broken(stopped: string, failure: WfError | null): WfError {
  const again = 'Run it again: what is done already is skipped'
  if (!failure) return new WfError('partly_done', stopped, { hint: again })
  const hint = [failure.hint, again].filter((words) => words !== '').join(' ')
  return new DetailedError('partly_done', `${stopped}\n${failure.message}`, { hint, details: { cause: errorDocument(failure) } })
}
