/** Handing in one job for each line of a file, in batches; a line that is refused leaves the others standing. */
import type { Clock } from '../clock.ts'
import { limits } from '../domain/job.ts'
import { WfError, type ErrorCode } from '../domain/errors.ts'
import type { EnqueueInput } from '../domain/new-job.ts'
import type { Engine, EnqueueResult } from '../engine/engine.ts'
import { describeError, errorDocument } from './errors.ts'
import { parseObject } from './exact-json.ts'
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes.ts'
import { refusal } from './enqueue-one.ts'
import { unreadable, type Source } from './input.ts'
import { batchesOf } from './line-batches.ts'
import { linesOf, type Line } from './lines.ts'
import type { Output } from './output.ts'
import type { Progress } from './progress.ts'
import { say } from './safe.ts'
import { counted, thousands } from './time.ts'

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
  firstKey: number | null
  lastKey: number | null
  /** The first of them. */
  refusals: readonly Refusal[]
}

export interface Bulk {
  engine: Engine
  source: Source
  /** What all jobs share: everything but the variables. */
  shared: EnqueueInput
  progress: Progress
  signal: AbortSignal
  clock: Clock
}

/** Characters; blanks may make a line longer than what is stored. */
const longestLine = limits.variablesBytes * 2
const mostRefusals = 1_000

export async function enqueueLines(bulk: Bulk): Promise<BulkSum> {
  const { engine, source, shared, progress, signal, clock } = bulk
  const sum = createSum(shared)
  const counted = countedBytes(source.chunks)
  try {
    for await (const batch of batchesOf(linesOf(counted.chunks, longestLine), { clock, signal })) {
      const inputs = batch.map((line) => inputOf(line, shared))
      const results = (await engine.enqueueEach(inputs.filter((input): input is EnqueueInput => !(input instanceof WfError)))).values()
      for (const [index, input] of inputs.entries()) {
        sum.add(batch[index]?.number ?? 0, input instanceof WfError ? input : (results.next().value ?? lostAnswer()))
      }
      progress.update(sum.lines, source.bytes === null ? null : Math.min(1, counted.bytes() / source.bytes))
    }
  } catch (error) {
    throw error instanceof WfError || sum.lines > 0 ? error : unreadable(source.name, error)
  } finally {
    progress.end()
    source.close()
  }
  return sum.result()
}

function countedBytes(source: AsyncIterable<Uint8Array>) {
  let bytes = 0
  const chunks = async function* () {
    for await (const chunk of source) {
      bytes += chunk.byteLength
      yield chunk
    }
  }
  return { chunks: chunks(), bytes: () => bytes }
}

function inputOf({ text, tooLong }: Line, shared: EnqueueInput): EnqueueInput | WfError {
  if (tooLong) return new WfError('invalid_job', `the line is longer than ${thousands(longestLine)} characters`)
  try {
    return { ...shared, variables: parseObject(text, 'the line') }
  } catch (error) {
    if (error instanceof WfError) return error
    throw error
  }
}

function lostAnswer(): WfError {
  return new WfError('unexpected', 'the store did not answer')
}

function createSum(shared: EnqueueInput) {
  const sum = { lines: 0, enqueued: 0, duplicates: 0, refused: 0, firstKey: null as number | null, lastKey: null as number | null }
  const refusals: Refusal[] = []
  const refuse = (line: number, { code, message }: WfError) => {
    sum.refused += 1
    if (refusals.length < mostRefusals) refusals.push({ line, code, message })
  }
  return {
    get lines() {
      return sum.lines
    },
    add(line: number, answer: EnqueueResult | WfError) {
      sum.lines += 1
      if (answer instanceof WfError) return refuse(line, answer)
      if (answer.status === 'refused') return refuse(line, answer.reason === 'invalid' ? answer.error : refusal(answer, shared))
      sum[answer.status === 'created' ? 'enqueued' : 'duplicates'] += 1
      sum.firstKey ??= answer.key
      sum.lastKey = answer.key
    },
    result: (): BulkSum => ({ type: shared.type, ...sum, refusals }),
  }
}

const mostTold = 20

export function tellBulk(output: Output, sum: BulkSum, { stoppedWith }: { stoppedWith: ExitCode | null }): ExitCode {
  const error = problemOf(sum, stoppedWith !== null)
  output.document({ ...sum, ...(error ? { error: errorDocument(error) } : {}) })
  for (const { line, message } of sum.refusals.slice(0, mostTold)) output.note(say`line ${line} refused: ${message.replace(/^the line is /, '')}`)
  if (sum.refused > mostTold) output.note(say`… and ${thousands(sum.refused - mostTold)} more lines refused`)
  const keys = sum.firstKey === null ? say`` : say`  ${output.paint.dim(say`keys ${sum.firstKey} to ${sum.lastKey ?? ''}`)}`
  const again = sum.duplicates > 0 ? say`, ${thousands(sum.duplicates)} there already` : say``
  output.print(say`${counted(sum.enqueued, 'job')} enqueued${again}${keys}`)
  if (!error) return exitCodes.ok
  describeError(error, output)
  return stoppedWith ?? exitCodeOf(error.code)
}

/** Nothing enqueued is the first line's own error; something enqueued is a part. */
function problemOf(sum: BulkSum, interrupted: boolean): WfError | null {
  const [first] = sum.refusals
  if (interrupted) return new WfError('partly_done', `stopped after ${counted(sum.lines, 'line')}`, { hint: 'the jobs enqueued so far stand' })
  if (!first) return null
  const told = `${counted(sum.refused, 'line')} of ${thousands(sum.lines)} refused, line ${first.line} first`
  if (sum.refused === sum.lines) return new WfError(first.code, `${told}: ${first.message}`, { hint: 'nothing was enqueued' })
  return new WfError('partly_done', told, { hint: 'the other jobs stand: mend these lines and enqueue them alone' })
}
