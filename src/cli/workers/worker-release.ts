/** Shows what became, or with `--dry-run` would become, of released workers: matched = changed + skipped + failed. */
import { WfError } from '../../errors.ts'
import type { Released } from '../../views/released-workers.ts'
import { describeError, errorDocument } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { sumOf, sumWords, type Sum } from '../output/change-summary.ts'
import { counted, thousands } from '../../terminal/time.ts'

export interface ReleaseEnd {
  released: readonly Released[]
  /** Null: no worker was released. */
  operation: number | null
}

/** Prints what became of each and the sum; answers the exit code. */
export function tellReleased(
  output: Output,
  { released, operation }: ReleaseEnd,
  { dryRun, forced }: { dryRun: boolean; forced: boolean },
): ExitCode {
  const sum = sumOf(released)
  const error = problemOf(released, sum)
  const made =
    operation === null
      ? null
      : ({ id: operation, verb: 'release', changed: sum.changed, suffix: '' } as const)
  output.document({
    ...sum,
    dryRun,
    ...madeDocument(made),
    items: released,
    ...(error ? { error: errorDocument(error) } : {}),
  })
  const { dim, green } = output.paint
  // One worker that could not be released: the error says it all.
  if (!error || sum.matched > 1) {
    output.print(...released.map((each) => lineOf(each, output, dryRun)))
    const verb = dryRun ? say`would be released` : green(say`released`)
    output.print(say`${counted(sum.changed, 'worker')} ${verb}  ${dim(sumWords(sum))}`)
    if (made) output.print(operationLine(made, output.paint))
  }
  if (forced && sum.changed > 0)
    output.note(say`--force skipped the check for life: jobs of a living worker may run twice at once`)
  if (error) describeError(error, output)
  return error ? exitCodeOf(error.code) : exitCodes.ok
}

const mostKeys = 10

function lineOf({ id, status, why, jobs }: Released, { paint }: Output, dryRun: boolean): Safe {
  if (status === 'skipped') return say`${paint.dim(say`skipped`)} ${why}`
  if (status !== 'changed') return say`${paint.red(say`failed`)} ${why}`
  const keys = say`${joined(jobs.slice(0, mostKeys), ', ')}${jobs.length > mostKeys ? ', …' : ''}`
  const held =
    jobs.length === 0
      ? say`it held no job`
      : say`${counted(jobs.length, 'job')} ${dryRun ? 'would end' : 'ended'} as lost: ${keys}`
  return say`${paint.green(dryRun ? say`would release` : say`released`)} ${id}  ${held}  ${paint.dim(say`${why}`)}`
}

function problemOf(released: readonly Released[], { matched, failed }: Sum): WfError | null {
  if (failed === 0) return null
  if (failed < matched)
    return new WfError(
      'partly_done',
      `${thousands(failed)} of ${counted(matched, 'worker')} could not be released`,
    )
  const first = released.find(({ status }) => status === 'failed') ?? released[0]
  if (first?.status !== 'failed')
    return new WfError('not_found', first?.why ?? '', {
      hint: 'wf workers list shows the ids and labels there are',
    })
  return new WfError('conflict', first.why, {
    hint: 'stop it first: SIGTERM to its run-worker gives its jobs back; or add --force',
  })
}
