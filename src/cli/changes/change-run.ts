/** Runs a change of many targets: dry run or for real, with progress, Ctrl-C between batches, and the summary at the end. */
import type { Operation, OperationVerb } from '../../domain/operation.ts'
import type { Applied } from '../../domain/resolution.ts'
import type { ActionContext, Run } from '../../engine/actions/action.ts'
import type { JobsPreview } from '../../engine/actions/change-jobs.ts'
import type { Impact } from '../../engine/actions/impact.ts'
import type { WfError } from '../../errors.ts'
import type { Output } from '../../terminal/output.ts'
import { createProgress } from '../../terminal/progress.ts'
import { toWfError } from '../errors.ts'
import type { ExitCode } from '../exit-codes.ts'
import { onInterrupt } from '../input/interrupt.ts'
import { warnFinal } from '../output/operation-line.ts'
import { ChangeTally, tellChanges } from './changes.ts'
import { setPreviews } from './set-preview.ts'

export interface ChangeContext {
  output: Output
  actions: ActionContext
  /** Follows every command that is shown. */
  suffix: string
}

export interface Change {
  verb: OperationVerb
  /** What is counted: `job`, `dead letter`. */
  noun: string
  /** What happens to those that change: `cancelled for good`. */
  done: string
  keys: readonly number[]
  /** Matched and skipped. */
  skipped?: readonly Applied[]
  dryRun: boolean
  perSecond: number | undefined
  preview(run: Run<Applied>): Promise<JobsPreview | undefined>
  apply(run: Run<Applied>): Promise<Operation | null>
  /** What blocks the jobs after the change. */
  impact?(): Promise<readonly Impact[]>
  /** Hint for a single key that does not exist. */
  missing?(key: number): Promise<string>
}

/** Prints what became of each target. Rejects with the store's error only if nothing was changed. */
export async function runChange(
  { output, actions, suffix }: ChangeContext,
  change: Change,
): Promise<ExitCode> {
  const { verb, keys, noun, done, dryRun, perSecond, skipped = [] } = change
  const tally = new ChangeTally({ keepsAll: output.json })
  const interrupt = onInterrupt(output)
  const progress = createProgress(output, actions.clock, `${noun}s`)
  const run = {
    signal: interrupt.signal,
    onBatch(applied: readonly Applied[]) {
      tally.add(applied)
      progress.update(tally.total, tally.total / keys.length)
    },
  }
  let preview: JobsPreview | undefined
  let operation: number | null = null
  let failure: WfError | null = null
  try {
    if (!dryRun && keys.length > 0) warnFinal(output, verb)
    if (dryRun) preview = await change.preview(run)
    else
      await change.apply({
        ...run,
        perSecond,
        onBegin(id) {
          operation = id
        },
      })
  } catch (error) {
    if (dryRun || tally.total === 0) throw error
    failure = toWfError(error, '')
  } finally {
    progress.end()
    interrupt.release()
  }
  const { changed, not_found: notFound } = tally.counts
  const [key] = keys
  const missing = key !== undefined && keys.length === 1 && notFound === 1 && (await change.missing?.(key))
  const showsImpact = !dryRun && !output.json && changed > 0
  const impact = preview?.impact ?? (showsImpact && (await change.impact?.())) ?? []
  tally.add(skipped)
  return tellChanges(output, tally, {
    ...{ noun, done, dryRun, failure, stoppedWith: interrupt.exitCode },
    matched: keys.length + skipped.length,
    operation: operation === null ? null : { id: operation, verb, changed, suffix },
    impact: impact || [],
    previews: setPreviews(preview?.changes ?? []),
    ...(missing ? { missing } : {}),
  })
}
