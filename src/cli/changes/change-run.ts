/** What carries a verb over many: the counts, the line of progress, and Ctrl-C, which leaves the rest as it is. */
import type { Clock } from '../../clock.ts'
import type { WfError } from '../../errors.ts'
import type { OperationVerb } from '../../domain/operation.ts'
import type { Applied } from '../../domain/resolution.ts'
import { ChangeTally } from './changes.ts'
import { toWfError } from '../errors.ts'
import type { ExitCode } from '../exit-codes.ts'
import { onInterrupt } from '../input/interrupt.ts'
import { warnFinal } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { createProgress } from '../../terminal/progress.ts'

export interface ChangeContext {
  output: Output
  clock: Clock
  /** Behind every command that is shown. */
  suffix?: string
}

export interface ChangeRun {
  tally: ChangeTally
  /** Aborts between two batches. */
  signal: AbortSignal
  /** Counts what became of some, and tells how far it is. */
  add(applied: readonly Applied[]): void
}

interface PlannedChange {
  verb: OperationVerb
  keys: readonly number[]
  /** `jobs`: what is counted. */
  noun: string
  dryRun: boolean
}

interface RunResult<T> {
  result: T
  tally: ChangeTally
  /** When somebody stopped it. */
  stoppedWith: ExitCode | null
}

export async function runChange<T>(
  { output, clock }: ChangeContext,
  { verb, keys, noun, dryRun }: PlannedChange,
  work: (run: ChangeRun) => Promise<T>,
): Promise<RunResult<T>> {
  const tally = new ChangeTally({ keepsAll: output.json })
  const interrupt = onInterrupt(output)
  const progress = createProgress(output, clock, noun)
  const add = (applied: readonly Applied[]) => {
    tally.add(applied)
    progress.update(tally.total, tally.total / keys.length)
  }
  try {
    if (!dryRun && keys.length > 0) warnFinal(output, verb)
    const result = await work({ tally, signal: interrupt.signal, add })
    return { result, tally, stoppedWith: interrupt.exitCode }
  } finally {
    progress.end()
    interrupt.release()
  }
}

export interface ChangeEnd {
  /** What broke it off. */
  failure: WfError | null
  /** The record of it; null where nothing was begun. */
  id: number | null
}

/** What `change` tells on its way. */
interface ChangeListener {
  signal: AbortSignal
  onBegin(id: number): void
  onBatch(applied: readonly Applied[]): void
}

/** What is done already is not lost with an error. Rejects with it only where nothing is. */
export async function changed(
  { tally, signal, add }: ChangeRun,
  change: (listener: ChangeListener) => Promise<unknown>,
): Promise<ChangeEnd> {
  let begun: number | null = null
  const onBegin = (id: number) => {
    begun = id
  }
  try {
    await change({ signal, onBegin, onBatch: add })
    return { failure: null, id: begun }
  } catch (error) {
    if (tally.total === 0) throw error
    return { failure: toWfError(error, ''), id: begun }
  }
}

const readBatch = 200

/** What would become of each, a batch after the other. */
export async function foretell(
  { signal, add }: ChangeRun,
  keys: readonly number[],
  some: (keys: readonly number[]) => Promise<readonly Applied[]>,
): Promise<void> {
  for (let start = 0; start < keys.length && !signal.aborted; start += readBatch) {
    add(await some(keys.slice(start, start + readBatch)))
  }
}
