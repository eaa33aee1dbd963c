/** Asks before an undo, applies or previews it, and shows what became of each target: matched = changed + skipped + failed. */
import { WfError } from '../../errors.ts'
import type { Operation, Undone } from '../../domain/operation.ts'
import { commandOf } from '../../engine/actions/index.ts'
import { maskedTargets } from '../../messages/operation-messages.ts'
import type { ActionContext } from '../../engine/actions/action.ts'
import { applyUndo, previewUndo } from '../../engine/actions/undo.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import { describeError, errorDocument, toWfError } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { onInterrupt } from '../input/interrupt.ts'
import { targetName } from './operation-view.ts'
import type { Output } from '../../terminal/output.ts'
import { createProgress } from '../../terminal/progress.ts'
import { type Safe, say, shownMasked } from '../../terminal/safe.ts'
import { summed, sumWords, type Counts } from '../output/change-summary.ts'
import { counted, relative, thousands } from '../../terminal/time.ts'

interface Agreement {
  yes: boolean
  /** The operation was given by its number. */
  isNamed: boolean
  dryRun: boolean
  now: number
}

/** Throws a WfError `refused` without agreement. */
export async function approveUndo(
  output: Output,
  of: Operation,
  { yes, isNamed, dryRun, now }: Agreement,
): Promise<void> {
  const what = describe(of, now)
  if (dryRun) return output.note(say`would undo ${what}`)
  if (yes || (isNamed && !canAsk(output))) return output.note(say`undoing ${what}`)
  if (!canAsk(output)) {
    throw new WfError('refused', say`${what} would be undone, and there is no terminal to confirm on`.text, {
      hint: `wf undo ${of.id} names it; add --yes, or --dry-run to look first`,
    })
  }
  output.note(say`${what}`)
  if (!(await confirm(say`Undo it?`))) throw new WfError('refused', 'nothing was changed')
}

function describe(operation: Operation, now: number): Safe {
  const { id, verb, selector, who, at, changed, reason } = operation
  const why = reason === null ? say`` : say` (${reason})`
  return say`operation ${id}: ${commandOf(verb)} of ${selector === '' ? 'all' : shownMasked(maskedTargets(operation))} by ${who} ${relative(at, now)}${why}, ${thousands(changed)} changed`
}

export interface UndoChange {
  of: Operation
  reason: string | null
  dryRun: boolean
}

const mostTold = 20

class UndoTally {
  readonly counts: Counts = { changed: 0, skipped: 0, failed: 0, not_found: 0 }
  readonly items: Undone[] = []
  readonly told: Undone[] = []
  partly = 0
  readonly #keepsAll: boolean

  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll
  }

  get total(): number {
    return summed(this.counts).matched
  }

  add(undone: readonly Undone[]): void {
    for (const each of undone) {
      this.counts[each.status] += 1
      if (each.partly) this.partly += 1
      if (this.#keepsAll) this.items.push(each)
      if ((each.status !== 'changed' || each.partly) && this.told.length < mostTold) this.told.push(each)
    }
  }
}

export async function undoAndTell(
  { output, actions }: { output: Output; actions: ActionContext },
  change: UndoChange,
): Promise<ExitCode> {
  const { of, reason, dryRun } = change
  const tally = new UndoTally(output.json)
  const interrupt = onInterrupt(output)
  const progress = createProgress(output, actions.clock, 'targets')
  const run = {
    signal: interrupt.signal,
    onBatch(undone: readonly Undone[]) {
      tally.add(undone)
      progress.update(tally.total, Math.min(1, tally.total / of.changed))
    },
  }
  let end: UndoEnd = { operation: null, matched: null, failure: null }
  try {
    if (dryRun) await previewUndo(actions.engine, of, run)
    else {
      const { id, matched } = await applyUndo(actions, { of, reason }, run)
      end = { operation: id, matched, failure: null }
    }
  } catch (error) {
    if (tally.total === 0) throw error
    end = { ...end, failure: toWfError(error, '') }
  } finally {
    progress.end()
    interrupt.release()
  }
  return tellUndone(output, tally, { ...end, change, stoppedWith: interrupt.exitCode })
}

interface UndoEnd {
  operation: number | null
  /** Null: unknown, because the undo failed. */
  matched: number | null
  failure: WfError | null
}

interface Told extends UndoEnd {
  change: UndoChange
  stoppedWith: ExitCode | null
}

function tellUndone(output: Output, tally: UndoTally, told: Told): ExitCode {
  const { change, operation, matched, stoppedWith } = told
  const sum = { ...summed(tally.counts), left: matched === null ? 0 : matched - tally.total }
  const error = problemOf(tally, told, sum)
  output.document({
    ...{ ...sum, undoes: change.of.id, dryRun: change.dryRun, operation },
    items: tally.items.map(({ jobKey, name, ...rest }) => ({
      ...(jobKey === 0 ? { name } : { key: jobKey }),
      ...rest,
    })),
    ...(error ? { error: errorDocument(error) } : {}),
  })
  const { dim, green, red, yellow } = output.paint
  for (const { status, partly, why, ...target } of tally.told) {
    const missed = status === 'skipped' ? dim(say`skipped`) : red(say`failed`)
    const word = partly ? yellow(say`partly`) : missed
    output.print(say`${word} ${targetName(target)}  ${why}`)
  }
  const untold = sum.skipped + sum.failed + tally.partly - tally.told.length
  if (untold > 0) output.print(say`${dim(say`… and ${thousands(untold)} more`)}`)
  const verb = change.dryRun ? say`would be brought back` : green(say`brought back`)
  output.print(say`${counted(sum.changed, 'target')} ${verb}  ${dim(sumWords(sum))}`)
  if (operation !== null) output.print(dim(say`operation ${operation}${undidWords(change.of, sum)}`))
  if (!error) return exitCodes.ok
  describeError(error, output)
  return sum.left > 0 && stoppedWith !== null ? stoppedWith : exitCodeOf(error.code)
}

function undidWords(
  { id }: Operation,
  { changed, failed, left }: { changed: number; failed: number; left: number },
): Safe {
  if (changed === 0) return say``
  return failed + left === 0 ? say` · undid operation ${id}` : say` · undid operation ${id} in part`
}

function problemOf(
  tally: UndoTally,
  { failure, change: { of } }: Told,
  sum: { changed: number; failed: number; left: number },
): WfError | null {
  const again = `run wf undo ${of.id} again: targets that came back are skipped`
  if (failure) return new WfError('partly_done', failure.message, { hint: again })
  if (sum.left > 0)
    return new WfError('partly_done', `stopped: ${counted(sum.left, 'target')} left as they were`, {
      hint: again,
    })
  if (sum.failed + tally.partly === 0) return null
  if (sum.changed === 0)
    return new WfError('conflict', `nothing of operation ${of.id} could be undone`, {
      hint: `wf audit show ${of.id}`,
    })
  const what =
    sum.failed > 0
      ? `${counted(sum.failed, 'target')} could not be undone`
      : `${counted(tally.partly, 'target')} came back in part`
  return new WfError('partly_done', what, { hint: `wf audit show ${of.id}` })
}
