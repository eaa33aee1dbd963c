/** The open incidents that a selector means, apart from those that are passed by unless they are named. */
import { guardedBecause, guardedIncidentKinds, isGuarded, type IncidentKind } from '../../domain/incident.ts'
import type { Applied } from '../../domain/resolution.ts'
import type { StoreReader } from '../../store/port.ts'
import { namedKeys } from '../output/list.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import type { Bound } from '../input/selector-flags.ts'
import type { Target } from './targets.ts'
import { thousands } from '../../terminal/time.ts'
import { everyItem } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

export interface GuardedTarget extends Target {
  kind: IncidentKind
}

export interface Resolvable {
  targets: readonly Target[]
  /** Passed by. */
  guarded: readonly GuardedTarget[]
}

export async function resolvable(
  store: StoreReader,
  selector: Selector,
  { limit, sort }: Bound = {},
): Promise<Resolvable> {
  const open = await everyItem((page) => store.incidents({ ...selector, includeClosed: false }, page), {
    limit,
    sort,
  })
  const guarded = open.filter(({ kind }) => isGuarded(kind, selector))
  return {
    targets: open.filter(({ kind }) => !isGuarded(kind, selector)).map(named),
    guarded: guarded.map(named),
  }
}

function named({ jobKey, type, kind }: { jobKey: number; type: string; kind: IncidentKind }): GuardedTarget {
  return { key: jobKey, type, kind }
}

/** The failed jobs among `targets` that stopped for a reason which running them again as they are repeats. */
export async function guardedAmong(
  store: StoreReader,
  targets: readonly Target[],
  selector: Selector,
): Promise<readonly GuardedTarget[]> {
  if (targets.length === 0) return []
  const keys = new Set(targets.map(({ key }) => key))
  const incidentKinds = guardedIncidentKinds.filter((kind) => isGuarded(kind, selector))
  if (incidentKinds.length === 0) return []
  const stopped = { ...(selector.types ? { types: selector.types } : {}), incidentKinds }
  const incidents = await everyItem((page) => store.incidents(stopped, page))
  return incidents.filter(({ jobKey }) => keys.has(jobKey)).map(named)
}

/** Keys are taken at their word; of several, those that would repeat their damage are named all the same. */
export async function nameGuarded(
  output: Output,
  store: StoreReader,
  keys: readonly number[],
): Promise<void> {
  if (keys.length < 2) return
  const incidents = await everyItem((page) =>
    store.incidents({ keys, incidentKinds: guardedIncidentKinds }, page),
  )
  for (const kind of guardedIncidentKinds) {
    const of = incidents.filter((incident) => incident.kind === kind).map(({ jobKey }) => jobKey)
    if (of.length === 0) continue
    output.note(
      output.errPaint.yellow(
        say`taken by their keys: ${thousands(of.length)} ${kind} (${namedKeys(of)}): ${guardedBecause[kind] ?? ''}`,
      ),
    )
  }
}

/** What is said of each that was passed by. `takes` is what would have taken it. */
export function passedByOf(guarded: readonly GuardedTarget[], takes: string): readonly Applied[] {
  return guarded.map(({ key, kind }) => ({
    jobKey: key,
    status: 'skipped',
    from: 'failed',
    to: null,
    why: `${kind}: ${guardedBecause[kind] ?? 'it would do it again'}; ${takes} takes it`,
  }))
}
