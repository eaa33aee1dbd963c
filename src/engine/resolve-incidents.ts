/**
 * Resolves many incidents at once. The targets are frozen first, so that a job that fails again meanwhile is not taken
 * twice, then resolved in small transactions that leave room for others and can be interrupted between two.
 * What is matched is always changed, skipped or failed.
 */
import { guardedIncidentKinds, type IncidentKind } from '../domain/incident.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import { selectorText } from '../domain/selector-text.ts'
import { everyItem } from '../store/pages.ts'
import type { IncidentView, Selector } from '../store/store.ts'
import { batchSize } from './bulk.ts'
import type { Engine } from './engine.ts'
import { asOperation, flagsOf } from './operations.ts'

export interface ResolveIncidents {
  engine: Engine
  /** Which open incidents. Kinds that are named here, and keys, take guarded ones too; anything else leaves them out. */
  selector: Selector
  /** At most so many, the first in the order of `sort`; default all. */
  limit?: number
  /** One of `sortOrders.incidents`. */
  sort?: string
  resolution: Pick<Resolution, 'retries' | 'deadlineAt' | 'set' | 'newEffects' | 'who' | 'reason'>
  /** Changes nothing; everything that would be tried is reported in `targets`. */
  dryRun?: boolean
  /** After each batch. */
  onProgress?: (done: number, of: number) => void
  /** Stops between two batches; the rest is reported as skipped. */
  signal?: AbortSignal
}

export interface Target {
  jobKey: number
  incidentId: number
  type: string
  kind: IncidentKind
}

export interface ResolveReport {
  /** matched = changed + skipped + failed. On a dry run what would be tried counts as changed. */
  matched: number
  changed: number
  skipped: number
  failed: number
  /** What was, or would be, tried. */
  targets: readonly Target[]
  /** Passed by because running them again as they are repeats the damage; counted in `skipped`. */
  guarded: readonly Target[]
  /** Of every target that did not change. */
  unchanged: readonly Applied[]
  interrupted: boolean
}

export async function resolveIncidents(options: ResolveIncidents): Promise<ResolveReport> {
  const all = await freeze(options)
  const guarded = all.filter((target) => isGuarded(target, options.selector))
  const targets = all.filter((target) => !isGuarded(target, options.selector))
  const applied = options.dryRun ? targets.map(asChanged) : await resolveAll(targets, options)
  const missed = targets.length - applied.length
  const of = (status: Applied['status']) => applied.filter((each) => each.status === status).length
  return {
    matched: all.length,
    changed: of('changed'),
    skipped: of('skipped') + guarded.length + missed,
    failed: of('failed') + of('not_found'),
    targets,
    guarded,
    unchanged: applied.filter(({ status }) => status !== 'changed'),
    interrupted: missed > 0,
  }
}

async function freeze({ engine: { store }, selector, sort, limit }: ResolveIncidents): Promise<readonly Target[]> {
  const open = { ...selector, includeClosed: false }
  return (await everyItem((page) => store.incidents(open, page), { sort, limit })).map(targetOf)
}

function targetOf({ id, jobKey, type, kind }: IncidentView): Target {
  return { jobKey, incidentId: id, type, kind }
}

function isGuarded({ kind }: Target, { keys, incidentKinds }: Selector): boolean {
  return guardedIncidentKinds.includes(kind) && keys === undefined && incidentKinds?.includes(kind) !== true
}

/** All of it is one operation. */
async function resolveAll(
  targets: readonly Target[],
  { engine, selector, resolution, onProgress, signal }: ResolveIncidents,
): Promise<readonly Applied[]> {
  const applied: Applied[] = []
  if (targets.length === 0) return applied
  const { who, reason } = resolution
  const chosen = { ...resolution, verb: 'resolve' as const }
  const named = { verb: chosen.verb, who, reason, selector: selectorText(selector), flags: flagsOf(chosen), matched: targets.length }
  await asOperation(engine.store, named, async (operation) => {
    for (let start = 0; start < targets.length && !signal?.aborted; start += batchSize) {
      const batch = targets.slice(start, start + batchSize)
      applied.push(...(await engine.resolve(batch.map(({ jobKey }) => ({ ...chosen, jobKey, operation })))))
      onProgress?.(applied.length, targets.length)
    }
  })
  return applied
}

function asChanged({ jobKey }: Target): Applied {
  return { jobKey, status: 'changed', from: 'failed', to: 'available', why: '' }
}
