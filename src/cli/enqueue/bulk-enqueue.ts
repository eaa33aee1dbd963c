/** Handing in one job for each line of a file, in batches; a line that is refused leaves the others standing. */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { sizeSettings } from '../../domain/job.ts'
import type { EnqueueInput } from '../../domain/new-job.ts'
import type { Engine } from '../../engine/engine.ts'
import { createSum, type BulkSum } from './bulk-sum.ts'
import { toWfError } from '../errors.ts'
import { parseObject } from '../../text/strict-json.ts'
import { notUtf8, unreadable, type Source } from '../input/input.ts'
import { keyAt, type KeyPath } from '../input/key-path.ts'
import { batchesOf } from '../input/line-batches.ts'
import { linesOf, type Line } from '../input/lines.ts'
import type { Progress } from '../../terminal/progress.ts'
import { thousands } from '../../terminal/time.ts'

export interface Bulk {
  engine: Engine
  source: Source
  /** What all jobs share: everything but the variables. */
  shared: EnqueueInput
  /** Where each line's idempotency key stands; null for none. */
  keyFrom: KeyPath | null
  progress: Progress
  signal: AbortSignal
  clock: Clock
}

/** Characters; blanks may make a line longer than what is stored. */
const longestLine = ({ sizes }: Engine) => sizes.variablesBytes * 2

/** Rejects with what went wrong before the first line; after it what went wrong is told beside what was done by then. */
export async function enqueueLines(bulk: Bulk): Promise<{ sum: BulkSum; failure: WfError | null }> {
  const { engine, source, progress, signal, clock } = bulk
  const sum = createSum(bulk.shared.type)
  const read = readFrom(source)
  let failure: WfError | null = null
  try {
    for await (const batch of batchesOf(linesOf(read.chunks, longestLine(engine)), { clock, signal })) {
      const inputs = batch.map((line) => inputOf(line, bulk))
      const results = (
        await engine.enqueueEach(inputs.filter((input): input is EnqueueInput => !(input instanceof WfError)))
      ).values()
      for (const [index, input] of inputs.entries())
        sum.add(batch[index]?.number ?? 0, input, () => results.next().value ?? lostAnswer())
      progress.update(sum.lines, source.bytes === null ? null : Math.min(1, read.bytes() / source.bytes))
    }
  } catch (error) {
    if (sum.lines === 0) throw error
    failure = toWfError(error, 'enqueue')
  } finally {
    progress.end()
    source.close()
  }
  return { sum: sum.result({ brokeOff: failure !== null || signal.aborted }), failure }
}

function readFrom({ name, chunks }: Source) {
  let bytes = 0
  const read = async function* () {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.byteLength
        yield chunk
      }
    } catch (error) {
      throw unreadable(name, error)
    }
  }
  return { chunks: read(), bytes: () => bytes }
}

function inputOf({ text, tooLong, broken }: Line, { engine, shared, keyFrom }: Bulk): EnqueueInput | WfError {
  if (tooLong)
    return new WfError(
      'invalid_job',
      `the line is longer than ${thousands(longestLine(engine))} characters, and ${sizeSettings.variables} allows half of that`,
    )
  if (broken) return notUtf8('the line')
  try {
    const variables = parseObject(text, 'the line')
    return {
      ...shared,
      variables,
      ...(keyFrom === null ? {} : { idempotencyKey: keyAt(variables, keyFrom) }),
    }
  } catch (error) {
    if (error instanceof WfError) return error
    throw error
  }
}

function lostAnswer(): never {
  throw new WfError('unexpected', 'the store did not answer')
}
