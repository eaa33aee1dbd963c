/** One verb over many jobs: told beforehand (`--dry-run`) by the same rules that the store applies, or done. */
import type { Clock } from '../../clock.ts'
import { operationLimits } from '../../domain/operation.ts'
import { namedWords } from '../../messages/operation-messages.ts'
import { runsAgain, type Applied, type Resolution } from '../../domain/resolution.ts'
import { selectorText } from '../../domain/selector-text.ts'
import { changeMany } from '../../engine/bulk.ts'
import { withinSizes, type Engine } from '../../engine/engine.ts'
import { foretellResolution } from '../../engine/dry-run.ts'
import type { Store } from '../../store/port.ts'
import {
  changed,
  foretell,
  runChange,
  type ChangeContext,
  type ChangeEnd,
  type ChangeRun,
} from './change-run.ts'
import { tellChanges } from './changes.ts'
import type { ExitCode } from '../exit-codes.ts'
import { countedBy, impactOf, type Impact } from './impact.ts'
import { SetPreviews, type SetPreview } from './set-preview.ts'
import { nearKeys } from '../input/suggestions.ts'
import type { Bound } from '../input/selector-flags.ts'
import type { Selector } from '../../domain/selector.ts'

export interface BulkChange {
  engine: Engine
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey'>
  /** `cancelled for good`: what happens to those that change. */
  done: string
  dryRun: boolean
  /** Matched, and passed by for a reason. */
  passedBy?: readonly Applied[]
  /** What was meant, for the record; the keys unless told. */
  selector?: Selector
  /** How many of them at most, and in which order. */
  bound?: Bound
  /** Jobs a second, at most. */
  perSecond?: number | undefined
}

export async function changeJobs(context: ChangeContext, change: BulkChange): Promise<ExitCode> {
  const { output, clock, suffix = '' } = context
  const { keys, passedBy = [], done, dryRun, resolution } = change
  const { verb } = resolution
  const { result, tally, stoppedWith } = await runChange(
    context,
    { verb, keys, noun: 'jobs', dryRun },
    async (run) =>
      dryRun
        ? { failure: null, id: null, ...(await foretellAll(change, run)) }
        : { ...(await changeAll(clock, change, run)), impact: [], previews: [] },
  )
  const { failure, id, previews } = result
  const impact =
    dryRun || output.json || !runsAgain(verb) || tally.counts.changed === 0
      ? result.impact
      : await heldNow(change.engine.store, keys)
  const operation = id === null ? null : { id, verb, changed: tally.counts.changed, suffix }
  tally.add(passedBy)
  const missing =
    keys.length === 1 && tally.counts.not_found === 1
      ? { missing: await nearKeys(change.engine.store, keys[0] ?? 0) }
      : {}
  const matched = keys.length + passedBy.length
  return tellChanges(output, tally, {
    done,
    dryRun,
    matched,
    failure,
    operation,
    impact,
    previews,
    stoppedWith,
    ...missing,
  })
}

async function changeAll(clock: Clock, change: BulkChange, run: ChangeRun): Promise<ChangeEnd> {
  const { engine, keys, resolution, passedBy = [], perSecond } = change
  if (keys.length + passedBy.length === 0) return { failure: null, id: null }
  const pace = perSecond === undefined ? {} : { perSecond }
  return changed(run, (listener) =>
    changeMany({
      engine,
      clock,
      keys,
      resolution,
      passedBy,
      selector: selectorWords(change),
      ...pace,
      ...listener,
    }),
  )
}

/** So many are looked at: of more, what holds them would take longer to find than anybody waits. */
const mostLooked = 20_000

/** What holds those that were sent to work: they are there, and do not start. */
async function heldNow(store: Store, keys: readonly number[]): Promise<readonly Impact[]> {
  if (keys.length > mostLooked) return []
  const types: string[] = []
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const { items } = await store.jobs(
      { keys: keys.slice(start, start + keysPerRead) },
      { limit: keysPerRead },
    )
    for (const { type, state } of items) if (state === 'available' || state === 'waiting') types.push(type)
  }
  return impactOf(store, countedBy(types))
}

const keysPerRead = 1_000

/** What was meant, for the record. */
export function selectorWords({
  selector,
  keys,
  bound = {},
}: Pick<BulkChange, 'selector' | 'keys' | 'bound'>): string {
  const { keys: named = [], ...narrowed } = selector ?? { keys }
  const bounds = [
    bound.limit === undefined ? '' : `--limit ${bound.limit}`,
    bound.sort === undefined ? '' : `--sort ${bound.sort}`,
  ]
  const words = [selectorText(narrowed), namedWords(named), ...bounds].filter((part) => part !== '').join(' ')
  return words.slice(0, operationLimits.selectorCharacters)
}

/** Answers what would hold those that would change, and what their variables would be. */
async function foretellAll(
  { engine, keys, resolution }: BulkChange,
  run: ChangeRun,
): Promise<{ impact: readonly Impact[]; previews: readonly SetPreview[] }> {
  const { store } = engine
  const types: string[] = []
  const previews = new SetPreviews()
  const one = async (jobKey: number) => {
    const { applied, type, change } = await foretellResolution(
      store,
      withinSizes({ ...resolution, jobKey }, engine.sizes),
    )
    if (change) previews.add(jobKey, change)
    if (change && type !== null) types.push(type)
    return applied
  }
  await foretell(run, keys, (some) => Promise.all(some.map(one)))
  return {
    impact: runsAgain(resolution.verb) ? await impactOf(store, countedBy(types)) : [],
    previews: previews.items,
  }
}
