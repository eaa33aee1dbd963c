/** The open incidents that a selector means, apart from those that are passed by unless they are named. */
import { guardedBecause, guardedIncidentKinds, type IncidentKind } from '../domain/incident.ts'
import type { Applied } from '../domain/resolution.ts'
import type { Engine } from '../engine/engine.ts'
import { resolveIncidents } from '../engine/resolve-incidents.ts'
import type { Selector, StoreReader } from '../store/store.ts'
import { given } from './given.ts'
import { namedKeys } from './list.ts'
import type { Output } from './output.ts'
import { say } from './safe.ts'
import type { Bound } from './selector-flags.ts'
import { frozen, type Target } from './targets.ts'
import { thousands } from './time.ts'
import { who } from './who.ts'

export interface GuardedTarget extends Target {
  kind: IncidentKind
}

export interface Resolvable {
  targets: readonly Target[]
  /** Passed by. */
  guarded: readonly GuardedTarget[]
}

export async function resolvable(engine: Engine, selector: Selector, { limit, sort }: Bound = {}): Promise<Resolvable> {
  const bound = given<{ limit: number; sort: string }>({ limit, sort })
  const { targets, guarded } = await resolveIncidents({ engine, selector, ...bound, resolution: { who: who(), reason: null }, dryRun: true })
  return { targets: targets.map(named), guarded: guarded.map(named) }
}

function named({ jobKey, type, kind }: { jobKey: number; type: string; kind: IncidentKind }): GuardedTarget {
  return { key: jobKey, type, kind }
}

/** The failed jobs among `targets` that stopped for a reason which running them again as they are repeats. */
export async function guardedAmong(store: StoreReader, targets: readonly Target[], selector: Selector): Promise<readonly GuardedTarget[]> {
  if (targets.length === 0) return []
  const keys = new Set(targets.map(({ key }) => key))
  const stopped = { ...(selector.types ? { types: selector.types } : {}), incidentKinds: guardedIncidentKinds }
  const incidents = await frozen((page) => store.incidents(stopped, page))
  return incidents.filter(({ jobKey }) => keys.has(jobKey)).map(named)
}

/** Keys are taken at their word; of several, those that would repeat their damage are named all the same. */
export async function nameGuarded(output: Output, store: StoreReader, keys: readonly number[]): Promise<void> {
  if (keys.length < 2) return
  const incidents = await frozen((page) => store.incidents({ keys, incidentKinds: guardedIncidentKinds }, page))
  for (const kind of guardedIncidentKinds) {
    const of = incidents.filter((incident) => incident.kind === kind).map(({ jobKey }) => jobKey)
    if (of.length === 0) continue
    output.note(output.errPaint.yellow(say`taken by their keys: ${thousands(of.length)} ${kind} (${namedKeys(of)}): ${guardedBecause[kind] ?? ''}`))
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
