/** What became of jobs that a verb was about, and a sum that always adds up: matched = changed + skipped + failed. */
import { WfError } from '../../errors.ts'
import type { Applied } from '../../domain/resolution.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { describeError, DetailedError, errorDocument } from '../errors.ts'
import type { Impact } from '../../engine/actions/impact.ts'
import { heldWords, impactDocument } from './impact.ts'
import { madeDocument, operationLine, type MadeOperation } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import { previewLines, type SetPreview } from './set-preview.ts'
import { summed, sumWords, type Counts, type Sum } from '../output/change-summary.ts'
import { counted, thousands } from '../../terminal/time.ts'
import { Unchanged } from './unchanged.ts'

/** Counts as they come; keeps every one only for a document, else why some did not change. */
export class ChangeTally {
  readonly counts: Counts = { changed: 0, skipped: 0, failed: 0, not_found: 0 }
  readonly items: Applied[] = []
  readonly unchanged = new Unchanged()
  firstFailed: Applied | null = null
  readonly #keepsAll: boolean

  constructor({ keepsAll }: { keepsAll: boolean }) {
    this.#keepsAll = keepsAll
  }

  get total(): number {
    return summed(this.counts).matched
  }

  add(changes: readonly Applied[]): void {
    for (const change of changes) {
      this.counts[change.status] += 1
      if (this.#keepsAll) this.items.push(change)
      this.unchanged.add(change)
      if (change.status === 'failed' || change.status === 'not_found') this.firstFailed ??= change
    }
  }
}

export interface Told {
  /** `dead letter`: what is counted; `job` unless told. */
  noun?: string
  /** `resolved`, `cancelled`: what happened to those that changed. */
  done: string
  dryRun: boolean
  /** Of how many; more than were answered when something or somebody stopped it. */
  matched: number
  /** What stopped it. */
  failure: WfError | null
  /** When somebody stopped it. */
  stoppedWith: ExitCode | null
  /** The record of it; null where nothing was done. */
  operation: MadeOperation | null
  /** Where none of the jobs is there: where their keys lie; unset where that was not looked up. */
  missing?: string
  /** Of a dry run: what would hold them afterwards. */
  impact: readonly Impact[]
  /** Of a dry run that sets variables: those of a few jobs. */
  previews: readonly SetPreview[]
}

/** Prints what became of each and the sum; answers the exit code. */
export function tellChanges(output: Output, tally: ChangeTally, told: Told): ExitCode {
  const sum = sumWithin(tally, told)
  const error = problemOf(tally, sum, told)
  output.document({
    ...sum,
    dryRun: told.dryRun,
    ...madeDocument(told.operation),
    ...(told.dryRun ? { impact: impactDocument(told.impact) } : {}),
    ...(told.previews.length > 0 ? { preview: told.previews } : {}),
    items: tally.items.map(({ jobKey, ...rest }) => ({ key: jobKey, ...rest })),
    ...(error ? { error: errorDocument(error) } : {}),
  })
  // One job that could not be changed: the error says it all.
  if (!error || told.matched > 1) tellEach(output, tally, told)
  if (error) describeError(error, output)
  if (!error) return exitCodes.ok
  return sum.left > 0 && told.stoppedWith !== null ? told.stoppedWith : exitCodeOf(error.code)
}

function tellEach(output: Output, tally: ChangeTally, told: Told): void {
  const { done, dryRun, operation, impact, previews, noun = 'job' } = told
  const { dim, green } = output.paint
  output.print(...previewLines(previews, output.paint), ...tally.unchanged.lines(output.paint))
  const sum = sumWithin(tally, told)
  const verb = dryRun ? say`would be ${done}` : green(say`${done}`)
  output.print(
    say`${counted(sum.changed, noun)} ${verb}  ${dim(sumWords(sum))}`,
    ...heldWords(impact, output.paint),
  )
  if (sum.left > 0) output.note(say`stopped: ${counted(sum.left, noun)} left as they were`)
  if (operation) output.print(operationLine(operation, output.paint))
}

interface PartSum extends Sum {
  /** Of those that were meant. */
  left: number
}

function sumWithin({ counts }: ChangeTally, { matched }: Told): PartSum {
  const sum = summed(counts)
  return { ...sum, left: matched - sum.matched }
}

/** One job that cannot be done is the answer itself; some of several are a part. */
function problemOf(
  { counts, firstFailed }: ChangeTally,
  sum: PartSum,
  { matched, failure, missing, noun = 'job' }: Told,
): WfError | null {
  if (sum.left > 0)
    return broken(`stopped after ${thousands(sum.matched)} of ${counted(matched, noun)}`, failure)
  if (sum.failed === 0) return null
  if (sum.failed < sum.matched)
    return new WfError(
      'partly_done',
      `${thousands(sum.failed)} of ${counted(sum.matched, noun)} could not be changed`,
    )
  const code = counts.failed === 0 ? 'not_found' : 'conflict'
  return new WfError(code, firstFailed?.why ?? '', {
    hint:
      code === 'not_found'
        ? (missing ?? 'wf jobs list shows the keys of this store')
        : `wf jobs show ${firstFailed?.jobKey ?? ''}`,
  })
}

function broken(stopped: string, failure: WfError | null): WfError {
  const again = 'Run it again: jobs that are done are skipped'
  if (!failure) return new WfError('partly_done', stopped, { hint: again })
  const hint = [failure.hint, again].filter((words) => words !== '').join(' ')
  return new DetailedError('partly_done', `${stopped}\n${failure.message}`, {
    hint,
    details: { cause: errorDocument(failure) },
  })
}
