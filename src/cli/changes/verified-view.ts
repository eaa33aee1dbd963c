/** What is said of a change that is watched: as it happens, and at the end with the sum and what was proven. */
import type { CanaryChoice } from '../../domain/canary.ts'
import { formatDuration } from '../../text/duration.ts'
import type { ErrorRecord } from '../../domain/error-record.ts'
import { WfError } from '../../errors.ts'
import type { Applied } from '../../domain/resolution.ts'
import type { Watched } from '../../domain/rerun-result.ts'
import type { Held } from '../../engine/inspector.ts'
import { isThrough, type Verification } from '../../engine/watch-outcomes.ts'
import type { VerifiedEnd as Ended } from '../../engine/canary-rollout.ts'
import { errorLine } from '../../views/error-view.ts'
import { describeError, errorDocument } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { namedKeys } from '../output/list.ts'
import { madeDocument, operationLine, type MadeOperation } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import { sumOf, sumWords, type Sum } from '../output/change-summary.ts'
import { counted, thousands } from '../../terminal/time.ts'
import { Unchanged } from './unchanged.ts'

export interface VerifiedEnd extends Pick<Ended, 'choice' | 'verification' | 'hasGoneOn'> {
  changes: readonly Applied[]
  /** Of how many targets. */
  matched: number
  operation: MadeOperation
  /** What broke it off. */
  failure: WfError | null
  /** When somebody stopped it. */
  stoppedWith: ExitCode | null
}

const limitWords = (ms: number) => `waiting ${formatDuration(ms)} at most`

export function tellWaiting(output: Output, changes: readonly Applied[], verifyMs: number): void {
  const changed = changes.filter(({ status }) => status === 'changed').length
  if (changed > 0)
    output.note(say`${counted(changed, 'job')} resolved; ${limitWords(verifyMs)} for what becomes of them …`)
}

export function tellCanaries(
  output: Output,
  { canaries, causes, unproven }: CanaryChoice<Watched>,
  verifyMs: number,
): void {
  if (canaries.length === 0) return
  const keys = namedKeys(canaries.map(({ jobKey }) => jobKey))
  const spread = causes === 1 ? 'of one cause' : `of ${causes - unproven} of ${causes} causes`
  output.note(
    say`${counted(canaries.length, 'canary')} ${spread} resolved (${keys}); ${limitWords(verifyMs)} …`,
  )
  if (unproven > 0)
    output.note(say`${counted(unproven, 'cause')} without a canary: --canary ${causes} would try one of each`)
}

export function tellProven(output: Output, { seen, tookMs }: Verification, others: number): void {
  const completed = seen.filter(({ verdict }) => isThrough(verdict)).length
  const next = others === 0 ? say`there are no others` : say`resolving the other ${thousands(others)} …`
  output.print(
    say`${output.paint.green(say`${completed} of ${counted(seen.length, 'canary')} completed`)} in ${spanWords(tookMs)}; ${next}`,
  )
}

export function tellHeld(output: Output, type: string, { by, why }: Held): void {
  const then = by === 'breaker' ? 'waiting for it' : 'it cannot start, so nothing is proven'
  output.note(say`${type} is held: ${why}; ${then}`)
}

const spanWords = (ms: number) => formatDuration(ms < 1_000 ? Math.round(ms) : Math.round(ms / 1_000) * 1_000)

interface PartSum extends Sum {
  left: number
}

/** Prints the sum and what was seen; answers the exit code. */
export function tellVerified(output: Output, end: VerifiedEnd): ExitCode {
  const sum = { ...sumOf(end.changes), left: end.matched - end.changes.length }
  const error = problemOf(end, sum)
  output.document({
    ...sum,
    dryRun: false,
    ...madeDocument(end.operation),
    items: end.changes.map(({ jobKey, ...rest }) => ({ key: jobKey, ...rest })),
    verification: verificationDocument(end),
    ...(error ? { error: errorDocument(error) } : {}),
  })
  tellSum(output, end, sum)
  output.print(operationLine(end.operation, output.paint))
  if (!error) return exitCodes.ok
  describeError(error, output)
  return end.stoppedWith ?? exitCodeOf(error.code)
}

function tellSum(output: Output, { changes, verification, choice }: VerifiedEnd, sum: PartSum): void {
  const { dim, red, green } = output.paint
  const unchanged = new Unchanged()
  for (const change of changes) unchanged.add(change)
  output.print(...unchanged.lines(output.paint))
  output.print(say`${counted(sum.changed, 'job')} ${green('resolved')}  ${dim(sumWords(sum))}`)
  if (sum.left > 0) output.print(say`${counted(sum.left, 'job')} left as they were`)
  if (!verification || (choice && verification.ended === 'all' && failedOf(verification).length === 0)) return
  const of = choice ? 'canary' : 'job'
  const { seen, unfinished, tookMs } = verification
  const completed = seen.filter(({ verdict }) => isThrough(verdict)).length
  const watched = seen.length + unfinished.length
  if (watched === 0 || sum.changed === 0) return
  const failed = failedOf(verification)
  output.print(
    say`after ${spanWords(tookMs)}: ${completed} of ${counted(watched, of)} completed, ${failed.length} failed again, ${unfinished.length} not finished`,
  )
  for (const { count, type, isSameCause, error, keys } of failuresByCause(verification)) {
    const words = error ? errorLine(error) : 'it was set aside'
    output.print(
      say`${red(say`failed again`)} ${thousands(count)} of ${type}, ${isSameCause ? 'the same cause' : 'another cause'}: ${words} ${dim(say`(${namedKeys(keys)})`)}`,
    )
  }
}

interface FailedCause {
  fingerprint: string
  type: string
  isSameCause: boolean
  count: number
  keys: readonly number[]
  error: ErrorRecord | null
}

function failedOf({ seen }: Verification) {
  return seen.flatMap(({ target, verdict }) => (verdict.status === 'failed' ? [{ target, verdict }] : []))
}

function failuresByCause(verification: Verification): readonly FailedCause[] {
  const causes = new Map<string, FailedCause & { keys: number[] }>()
  for (const { target, verdict } of failedOf(verification)) {
    const { fingerprint, isSameCause, error } = verdict
    const cause = causes.get(fingerprint) ?? {
      fingerprint,
      type: target.type,
      isSameCause,
      count: 0,
      keys: [],
      error,
    }
    cause.count += 1
    cause.keys.push(target.jobKey)
    causes.set(fingerprint, cause)
  }
  return [...causes.values()].sort((a, b) => b.count - a.count)
}

function verificationDocument({ verification, choice, hasGoneOn }: VerifiedEnd) {
  if (!verification) return null
  const { ended, seen, unfinished, tookMs } = verification
  const count = (status: string) => seen.filter(({ verdict }) => verdict.status === status).length
  return {
    canaries: choice?.canaries.map(({ jobKey }) => jobKey) ?? null,
    causes: choice && { of: choice.causes, unproven: choice.unproven },
    ...{ ended, hasGoneOn, tookMs: Math.round(tookMs) },
    ...{
      completed: count('completed'),
      rejected: count('rejected'),
      gone: count('gone'),
      failedAgain: count('failed'),
    },
    failures: failuresByCause(verification).map((cause) => ({
      ...cause,
      fingerprint: cause.fingerprint,
    })),
    unfinished: unfinished.map(({ target: { jobKey, type }, held }) => ({ key: jobKey, type, held })),
  }
}

function problemOf(end: VerifiedEnd, sum: PartSum): WfError | null {
  const { verification, failure, stoppedWith, choice } = end
  const left = sum.left === 0 ? '' : `; ${counted(sum.left, 'job')} left as they were`
  if (failure)
    return new WfError(
      'partly_done',
      `stopped after ${thousands(sum.matched)} of ${counted(end.matched, 'job')}\n${failure.message}`,
      {
        hint: again,
      },
    )
  if (verification && failedOf(verification).length > 0) return failedAgain(verification, left)
  if (stoppedWith !== null)
    return new WfError('partly_done', `stopped: ${counted(sum.changed, 'job')} resolved${left}`, {
      hint: again,
    })
  if (choice && verification && !end.hasGoneOn) return notProven(verification, left)
  if (verification && verification.unfinished.length > 0) return notProven(verification, left)
  if (sum.failed === 0) return null
  const isAll = sum.failed === sum.matched
  const why = end.changes.find(({ status }) => status === 'failed' || status === 'not_found')
  if (isAll && why) return new WfError(why.status === 'not_found' ? 'not_found' : 'conflict', why.why)
  return new WfError(
    'partly_done',
    `${thousands(sum.failed)} of ${counted(sum.matched, 'job')} could not be changed`,
  )
}

const again = 'Run it again: jobs that are done are skipped'

function failedAgain(verification: Verification, left: string): WfError {
  const [first] = failuresByCause(verification)
  const count = failedOf(verification).length
  const which = failedOf(verification).every(({ verdict }) => verdict.isSameCause)
    ? 'the cause is still there'
    : 'something is still wrong'
  return new WfError('failed_again', `${which}: ${counted(count, 'job')} failed again${left}`, {
    hint: `wf incidents show ${first?.keys[0] ?? ''}`,
  })
}

function notProven(verification: Verification, left: string): WfError {
  const isHeld = verification.unfinished.some(({ held }) => held !== null)
  return new WfError('not_verified', `not verified: ${unprovenWords(verification)}${left}`, {
    hint: isHeld
      ? 'mend that, then run it again'
      : 'they go on by themselves: wf jobs show tells how they stand',
  })
}

function unprovenWords({ seen, unfinished, ended }: Verification): string {
  const held = unfinished.find((each) => each.held !== null)?.held
  if (held) return held.why
  if (unfinished.length > 0)
    return `${counted(unfinished.length, 'job')} did not end ${ended === 'timeout' ? 'in time' : 'yet'}`
  const gone = seen.filter(({ verdict }) => verdict.status === 'gone').length
  return gone > 0
    ? `${counted(gone, 'job')} was cancelled meanwhile`
    : 'another operator resolved the jobs to be tried'
}
