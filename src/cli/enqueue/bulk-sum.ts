/** What became of the lines of a bulk, and how it is told: all of them, those that were refused, and where it broke off. */
import { WfError, type ErrorCode } from '../../errors.ts'
import type { EnqueueInput } from '../../domain/new-job.ts'
import type { EnqueueResult } from '../../engine/engine.ts'
import { refusal } from './enqueue-one.ts'
import { describeError, DetailedError, errorDocument } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'

export interface Refusal {
  line: number
  code: ErrorCode
  message: string
}

export interface BulkSum {
  type: string
  lines: number
  enqueued: number
  duplicates: number
  refused: number
  /** Of the jobs that were enqueued now. */
  firstKey: number | null
  lastKey: number | null
  /** The first of them. */
  refusals: readonly Refusal[]
  /** When it broke off: nothing of this line and those behind it was enqueued. */
  nextLine: number | null
}

const mostRefusals = 1_000

export function createSum(type: string) {
  const sum = {
    lines: 0,
    enqueued: 0,
    duplicates: 0,
    refused: 0,
    firstKey: null as number | null,
    lastKey: null as number | null,
  }
  const refusals: Refusal[] = []
  const refuse = (line: number, { code, message }: WfError) => {
    sum.refused += 1
    if (refusals.length < mostRefusals) refusals.push({ line, code, message })
  }
  let lastLine = 0
  return {
    get lines() {
      return sum.lines
    },
    add(line: number, input: EnqueueInput | WfError, answer: () => EnqueueResult) {
      sum.lines += 1
      lastLine = line
      if (input instanceof WfError) return refuse(line, input)
      const result = answer()
      if (result.status === 'refused')
        return refuse(line, result.reason === 'invalid' ? result.error : refusal(result, input))
      if (result.status === 'duplicate') sum.duplicates += 1
      else {
        sum.enqueued += 1
        sum.firstKey ??= result.key
        sum.lastKey = result.key
      }
    },
    result: ({ brokeOff }: { brokeOff: boolean }): BulkSum => ({
      type,
      ...sum,
      refusals,
      nextLine: brokeOff ? lastLine + 1 : null,
    }),
  }
}

export interface BulkEnd {
  sum: BulkSum
  /** What ended it before its last line. */
  failure: WfError | null
  /** When somebody stopped it. */
  stoppedWith: ExitCode | null
  /** Handing in the same lines again enqueues none twice. */
  keyed: boolean
}

const mostTold = 20

export function tellBulk(output: Output, end: BulkEnd): ExitCode {
  const { sum, stoppedWith } = end
  const error = problemOf(end)
  output.document({ ...sum, ...(error ? { error: errorDocument(error) } : {}) })
  for (const { line, message } of sum.refusals.slice(0, mostTold))
    output.note(say`line ${line} refused: ${message.replace(/^the line is /, '')}`)
  if (sum.refused > mostTold) output.note(say`… and ${thousands(sum.refused - mostTold)} more lines refused`)
  const keys =
    sum.firstKey === null
      ? say``
      : say`  ${output.paint.dim(say`keys ${sum.firstKey} to ${sum.lastKey ?? ''}`)}`
  const again = sum.duplicates > 0 ? say`, ${thousands(sum.duplicates)} there already` : say``
  output.print(say`${counted(sum.enqueued, 'job')} enqueued${again}${keys}`)
  if (!error) return exitCodes.ok
  describeError(error, output)
  return stoppedWith ?? exitCodeOf(error.code)
}

function problemOf(end: BulkEnd): WfError | null {
  const { sum, failure, stoppedWith } = end
  if (failure) return brokenOff(end, failure)
  if (stoppedWith === null) return refusedOf(sum)
  return new WfError('partly_done', `stopped after ${counted(sum.lines, 'line')}; ${behind(sum)}`, {
    hint: `the jobs enqueued so far stand: ${howToGoOn(end)}`,
  })
}

/** With nothing accepted it is the failure itself. */
function brokenOff(end: BulkEnd, failure: WfError): WfError {
  const { enqueued, duplicates } = end.sum
  if (enqueued + duplicates === 0) return failure
  const isKnown = failure.code !== 'outcome_unknown'
  return new DetailedError('partly_done', `${behind(end.sum, isKnown)}\n${failure.message}`, {
    hint: [failure.hint, `The jobs enqueued so far stand: ${howToGoOn(end, isKnown)}`]
      .filter((words) => words !== '')
      .join(' '),
    details: { cause: errorDocument(failure) },
  })
}

function behind({ nextLine }: BulkSum, isKnown = true): string {
  return `from line ${thousands(nextLine ?? 1)} on ${isKnown ? 'nothing was enqueued' : 'it is unknown what was enqueued'}`
}

function howToGoOn({ sum, keyed }: BulkEnd, isKnown = true): string {
  if (keyed) return 'enqueue the same lines again: none is enqueued twice'
  if (!isKnown)
    return `check which of the lines from ${thousands(sum.nextLine ?? 1)} on are stored (wf jobs list) before you enqueue the others`
  return `enqueue the lines from ${thousands(sum.nextLine ?? 1)} on (tail -n +${sum.nextLine ?? 1}), since the others would be enqueued twice`
}

/** Nothing enqueued is the first line's own error; something enqueued is a part. */
function refusedOf({ refusals: [first], refused, lines }: BulkSum): WfError | null {
  if (!first) return null
  const told = `${counted(refused, 'line')} of ${thousands(lines)} refused, line ${first.line} first`
  if (refused === lines)
    return new WfError(first.code, `${told}: ${first.message}`, { hint: 'nothing was enqueued' })
  return new WfError('partly_done', told, {
    hint: 'the other jobs stand: mend these lines and enqueue them alone',
  })
}
