/** Resolves a selector to fixed targets before anyone agrees to a change: jobs that match later are not taken. */
import { guardedIncidentKinds, isGuarded } from '../../domain/incident.ts'
import { runsAgain, type ResolutionVerb } from '../../domain/resolution.ts'
import { everyItem } from '../../store/page.ts'
import type { Page } from '../../store/page.ts'
import type { Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'
import type { StoreReader } from '../../store/port.ts'

/** The list that a selector narrows. */
export type TargetList = 'incidents' | 'dlq' | 'jobs'

export interface Target {
  /** Key of the job. */
  key: number
  type: string
  /** Kind of its incident, reason of its dead letter, or its state. */
  kind: string
}

/** Limits and orders the targets. */
export interface Bound {
  limit?: number | undefined
  sort?: string | undefined
}

export interface Frozen {
  targets: readonly Target[]
  /** Also matched, but skipped: running these jobs again unchanged would repeat their damage. */
  guarded: readonly Target[]
}

export interface Meant {
  verb: ResolutionVerb
  list: TargetList
  selector: Selector
}

export async function freeze(reader: StoreReader, meant: Meant, bound: Bound = {}): Promise<Frozen> {
  const matched = await everyItem(targetPages(reader, meant), bound)
  const guarded = await guardedAmong(reader, meant, matched)
  const skipped = new Set(guarded.map(({ key }) => key))
  return { targets: matched.filter(({ key }) => !skipped.has(key)), guarded }
}

export function targetPages(
  reader: StoreReader,
  { list, selector }: Pick<Meant, 'list' | 'selector'>,
): (page: Page) => Promise<Paged<Target>> {
  switch (list) {
    case 'incidents':
      return async (page) => mapped(await reader.incidents(selector, page), ofIncident)
    case 'dlq':
      return async (page) =>
        mapped(await reader.deadLetters(selector, page), ({ jobKey, type, reason }) => ({
          key: jobKey,
          type,
          kind: reason,
        }))
    case 'jobs':
      return async (page) =>
        mapped(await reader.jobs(selector, page), ({ key, type, state }) => ({ key, type, kind: state }))
  }
}

function mapped<T>({ items, next }: Paged<T>, target: (item: T) => Target): Paged<Target> {
  return { items: items.map(target), next }
}

const ofIncident = ({ jobKey, type, kind }: { jobKey: number; type: string; kind: string }): Target => ({
  key: jobKey,
  type,
  kind,
})

async function guardedAmong(
  reader: StoreReader,
  { verb, list, selector }: Meant,
  targets: readonly Target[],
): Promise<readonly Target[]> {
  if (!runsAgain(verb) || list === 'dlq' || targets.length === 0) return []
  if (list === 'incidents') return targets.filter(({ kind }) => isGuarded(kind, selector))
  const incidentKinds = guardedIncidentKinds.filter((kind) => isGuarded(kind, selector))
  if (incidentKinds.length === 0) return []
  const keys = new Set(targets.map(({ key }) => key))
  const stopped = { ...(selector.types ? { types: selector.types } : {}), incidentKinds }
  const incidents = await everyItem((page) => reader.incidents(stopped, page))
  return incidents.filter(({ jobKey }) => keys.has(jobKey)).map(ofIncident)
}

/** Of jobs selected by key, which is never refused: those that would repeat their damage. */
export async function guardedByKey(reader: StoreReader, keys: readonly number[]): Promise<readonly Target[]> {
  const incidents = await everyItem((page) =>
    reader.incidents({ keys, incidentKinds: guardedIncidentKinds }, page),
  )
  return incidents.map(ofIncident)
}
