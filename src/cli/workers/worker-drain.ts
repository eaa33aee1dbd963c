/** Shows what became of workers that were asked to drain: matched = changed + skipped + failed. */
import { WfError } from '../../errors.ts'
import { describeError, errorDocument } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { sumOf, type Sum } from '../output/change-summary.ts'
import { counted, thousands } from '../../terminal/time.ts'
import type { DrainPlan, FoundWorkers } from '../../engine/actions/workers.ts'
import { missingWords } from '../../views/released-workers.ts'

export interface Drained {
  id: string
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  /** A finished sentence for people; empty when changed. */
  why: string
  /** Jobs that it runs. */
  running: number
}

export function drained({ workers }: DrainPlan, { missing, names }: FoundWorkers): readonly Drained[] {
  const results = {
    asked: (id: string) => ({ id, status: 'changed', why: '' }) as const,
    draining: (id: string) => ({ id, status: 'skipped', why: `worker ${id} drains already` }) as const,
    gone: (id: string) => ({ id, status: 'failed', why: `worker ${id} is gone: its lease is over` }) as const,
  }
  return [
    ...workers.map(({ id, is, running }): Drained => ({ ...results[is](id), running })),
    ...missing.map(
      ({ id }): Drained => ({ id, status: 'not_found', why: missingWords(id, names), running: 0 }),
    ),
  ]
}

export interface DrainEnd {
  plan: readonly Drained[]
  dryRun: boolean
  operation: number | null
  /** With `--wait`: ids of those that were still there at its end, and whether somebody broke it off. */
  waited: { left: readonly string[]; stoppedWith: ExitCode | null } | null
  suffix: string
}

export function tellDrained(output: Output, { plan, dryRun, operation, waited, suffix }: DrainEnd): ExitCode {
  const sum = sumOf(plan)
  const made =
    operation === null ? null : { id: operation, verb: 'drain' as const, changed: sum.changed, suffix }
  const error = refusal(plan, sum) ?? overdue(waited?.left ?? [])
  const gone = waited === null ? {} : { left: waited.left }
  output.document({
    ...sum,
    dryRun,
    items: plan,
    ...gone,
    ...madeDocument(made),
    ...(error ? { error: errorDocument(error) } : {}),
  })
  output.print(
    ...plan
      .filter(({ status }) => status === 'changed' || sum.matched > 1)
      .map((each) => lineOf(each, output, dryRun)),
  )
  if (waited !== null && waited.left.length === 0 && sum.matched > sum.failed)
    output.print(say`${output.paint.green('gone')}`)
  if (made) output.print(operationLine(made, output.paint))
  if (error) describeError(error, output)
  return waited?.stoppedWith ?? (error ? exitCodeOf(error.code) : exitCodes.ok)
}

function lineOf({ id, status, why, running }: Drained, { paint }: Output, dryRun: boolean): Safe {
  if (status === 'skipped') return say`${paint.dim('skipped')} ${why}`
  if (status !== 'changed') return say`${paint.red('failed')} ${why}`
  const does = running === 0 ? 'runs no job' : `lets its ${counted(running, 'job')} finish`
  return say`${paint.green(dryRun ? 'would drain' : 'asked')} ${id}  ${paint.dim(say`it ${does}, and ends`)}`
}

function refusal(plan: readonly Drained[], { matched, failed }: Sum): WfError | null {
  if (failed === 0) return null
  if (failed < matched)
    return new WfError(
      'partly_done',
      `${thousands(failed)} of ${counted(matched, 'worker')} could not be asked to drain`,
    )
  const first = plan.find(({ status }) => status === 'failed') ?? plan[0]
  if (first?.status !== 'failed')
    return new WfError('not_found', first?.why ?? '', {
      hint: 'wf workers list shows the ids and labels there are',
    })
  return new WfError('conflict', first.why, { hint: 'wf workers release gives its jobs to others at once' })
}

function overdue(left: readonly string[]): WfError | null {
  if (left.length === 0) return null
  return new WfError('wait_timeout', `still there: ${joined(left.slice(0, 10), ', ').text}`, {
    hint: 'their jobs take longer; wf jobs list --state running shows them',
  })
}
