/** Dead letters that are to be deleted: counted beforehand, told with `--dry-run`, or done. */
import type { Clock } from '../../clock.ts'
import { foretellPurge } from '../../engine/dry-run.ts'
import { purgeMany } from '../../engine/purge.ts'
import type { Store } from '../../store/port.ts'
import { selectorWords } from './bulk-change.ts'
import { changed, foretell, runChange, type ChangeEnd, type ChangeRun } from './change-run.ts'
import { tellChanges } from './changes.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Output } from '../../terminal/output.ts'
import { who } from '../input/actor.ts'
import type { Selector } from '../../domain/selector.ts'

export interface PurgeChange {
  store: Store
  keys: readonly number[]
  /** What was meant, for the record. */
  selector: Selector
  open: boolean
  reason: string | null
  dryRun: boolean
  perSecond: number | undefined
}

/** What happens to those that change. */
export const purged = 'deleted for good'
export const purgedNoun = 'dead letter'

export async function purgeLetters(
  output: Output,
  { clock, suffix }: { clock: Clock; suffix: string },
  change: PurgeChange,
): Promise<ExitCode> {
  const { store, keys, open, dryRun } = change
  const planned = { verb: 'purge' as const, keys, noun: 'dead letters', dryRun }
  const { result, tally, stoppedWith } = await runChange({ output, clock }, planned, async (run) => {
    if (!dryRun) return purgeAll(clock, change, run)
    await foretell(run, keys, (some) => foretellPurge(store, some, open))
    return { failure: null, id: null }
  })
  const { failure, id } = result
  const operation = id === null ? null : { id, verb: planned.verb, changed: tally.counts.changed, suffix }
  return tellChanges(output, tally, {
    noun: purgedNoun,
    done: purged,
    dryRun,
    matched: keys.length,
    failure,
    operation,
    impact: [],
    previews: [],
    stoppedWith,
  })
}

async function purgeAll(clock: Clock, change: PurgeChange, run: ChangeRun): Promise<ChangeEnd> {
  const { store, keys, open, reason, perSecond } = change
  if (keys.length === 0) return { failure: null, id: null }
  const pace = perSecond === undefined ? {} : { perSecond }
  return changed(run, (listener) =>
    purgeMany({
      store,
      clock,
      keys,
      open,
      reason,
      who: who(),
      selector: selectorWords(change),
      ...pace,
      ...listener,
    }),
  )
}
