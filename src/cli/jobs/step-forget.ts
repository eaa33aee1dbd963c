/** Asks before steps are forgotten, because their effects can then happen twice, and shows what was forgotten. */
import { WfError } from '../../errors.ts'
import type { Job } from '../../domain/job.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import { counted } from '../../terminal/time.ts'

export interface Forgetting {
  job: Pick<Job, 'key' | 'type'>
  steps: readonly string[]
  yes: boolean
}

/** Throws WfError `refused` when nobody agrees. */
export async function approveForgetting(output: Output, { job, steps, yes }: Forgetting): Promise<void> {
  if (yes || steps.length === 0) return
  const what = say`${counted(steps.length, 'step')} of job ${job.key} (${job.type}) would be forgotten: ${steps.join(', ')}`
  const danger = 'an effect that has happened can then happen again'
  if (!canAsk(output)) {
    throw new WfError('refused', say`${what}; ${danger}, and there is no terminal to confirm on`.text, {
      hint: 'add --yes, or --dry-run to look first',
    })
  }
  output.note(what, output.errPaint.yellow(danger))
  if (!(await confirm(say`Go on?`))) throw new WfError('refused', 'nothing was changed')
}

export interface Forgotten {
  jobKey: number
  wanted: readonly string[]
  /** Of the job. */
  forgotten: readonly string[]
  dryRun: boolean
  operation: number | null
}

export function tellForgotten(
  output: Output,
  { jobKey, wanted, forgotten, dryRun, operation }: Forgotten,
): void {
  const made =
    operation === null
      ? null
      : ({ id: operation, verb: 'forget', changed: forgotten.length, suffix: '' } as const)
  const isDone = (step: string) => forgotten.includes(step)
  const sum = {
    matched: wanted.length,
    changed: forgotten.length,
    skipped: wanted.length - forgotten.length,
    failed: 0,
  }
  output.document({
    ...sum,
    dryRun,
    ...madeDocument(made),
    items: wanted.map((step) => ({ key: jobKey, step, status: isDone(step) ? 'changed' : 'skipped' })),
  })
  const { green, dim } = output.paint
  const done = dryRun ? say`would forget` : say`forgotten`
  output.print(
    ...wanted.map((step) =>
      isDone(step)
        ? say`${green(done)} ${step}`
        : say`${dim('skipped')} ${step}  job ${jobKey} has no such step`,
    ),
  )
  if (made) output.print(operationLine(made, output.paint))
  if (wanted.length === 0) output.note(say`job ${jobKey} has no steps`)
  else if (forgotten.length > 0 && !dryRun)
    output.note(say`the next attempt repeats them: their effects can happen twice`)
}
