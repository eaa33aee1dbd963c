/** Drains workers, and releases the jobs of dead ones. */
import { namedTargets, type NewTarget } from '../../domain/operation.ts'
import type { StoreReader } from '../../store/port.ts'
import type { WorkerView } from '../../store/views.ts'
import { drainWorkers } from '../drain-workers.ts'
import { writer, type Engine } from '../engine.ts'
import { signsOf, type Lookout, type Sign } from '../liveness.ts'
import { asOperation } from '../operation-log.ts'
import { addTarget } from '../plans/operations.ts'
import { releaseWorker } from '../release-worker.ts'
import type { ActionContext } from './action.ts'

export interface WorkerTarget {
  id: string
  /** Null: its row is gone, and jobs are left that it ran. */
  row: WorkerView | null
  /** Jobs that it runs now. */
  running: number
}

/** A word that names no worker. */
export interface MissingWorker {
  id: string
  /** Who released it before; null if no one did. */
  releasedBy: string | null
}

export interface FoundWorkers {
  /** Each once. */
  targets: readonly WorkerTarget[]
  missing: readonly MissingWorker[]
  /** Words that are the beginning of several ids, with those ids. */
  ambiguous: readonly { word: string; ids: readonly string[] }[]
  /** Labels and ids of all workers. */
  names: readonly string[]
}

/** Resolves ids, labels, ids without what follows their `#`, and ids cut with `…`. */
export async function findWorkers(
  reader: StoreReader & { now(): number },
  words: readonly string[],
): Promise<FoundWorkers> {
  const rows = await reader.workers(reader.now())
  const targets = new Map<string, WorkerTarget>()
  const missing: MissingWorker[] = []
  const ambiguous: { word: string; ids: readonly string[] }[] = []
  for (const word of new Set(words)) {
    const { found, isCut } = rowsOf(rows, word)
    if (isCut && found.length > 1) {
      ambiguous.push({ word, ids: found.map(({ id }) => id) })
      continue
    }
    for (const row of found) targets.set(row.id, { id: row.id, row, running: row.running })
    if (found.length > 0) continue
    const left = await reader.running(word)
    if (left.length > 0) targets.set(word, { id: word, row: null, running: left.length })
    else missing.push({ id: word, releasedBy: await releaserOf(reader, word) })
  }
  const names = rows.flatMap(({ id, label }) => [label, id])
  return { targets: [...targets.values()], missing, ambiguous, names }
}

function rowsOf(rows: readonly WorkerView[], word: string) {
  const exact = rows.filter((row) => means(word, row))
  if (exact.length > 0 || !/.…$/.test(word)) return { found: exact, isCut: false }
  return { found: rows.filter(({ id }) => id.startsWith(word.slice(0, -1))), isCut: true }
}

const means = (word: string, { id, label }: { id: string; label: string }) =>
  id === word || label === word || id.replace(/#[^#]*$/, '') === word

async function releaserOf(reader: StoreReader, word: string): Promise<string | null> {
  const rows = await reader.history(1_000)
  return (
    rows.find(({ event, detail }) => event === 'worker_released' && namesWorker(detail, word))?.who ?? null
  )
}

function namesWorker(detail: string | null, word: string): boolean {
  const { worker, label } = JSON.parse(detail ?? '{}') as { worker?: unknown; label?: unknown }
  return means(word, { id: String(worker), label: String(label) })
}

export interface DrainPlan {
  /** `gone`: its lease is over, so it can't be asked. */
  workers: readonly (WorkerTarget & { is: 'asked' | 'draining' | 'gone' })[]
  reason: string | null
}

export function planDrain(
  targets: readonly WorkerTarget[],
  { now, reason }: { now: number; reason: string | null },
): DrainPlan {
  const stateOf = (row: WorkerView | null) => {
    if (row === null || row.leaseUntil <= now) return 'gone'
    return row.state === 'draining' ? 'draining' : 'asked'
  }
  return { workers: targets.map((target) => ({ ...target, is: stateOf(target.row) })), reason }
}

/** Returns the id of the operation; null where no worker was left to ask. */
export async function applyDrain(
  { engine, who }: ActionContext,
  { workers, reason }: DrainPlan,
): Promise<number | null> {
  const workerIds = workers.filter(({ is }) => is === 'asked').map(({ id }) => id)
  return workerIds.length === 0 ? null : drainWorkers(engine[writer], { workerIds, who, reason })
}

export interface ReleasePlan {
  found: Pick<FoundWorkers, 'targets' | 'missing'>
  /** Whether each worker lives, by id; empty when forced. */
  signs: ReadonlyMap<string, Sign>
  forced: boolean
  reason: string | null
}

/** Watches workers for a sign of life, for at most half of what is left of their leases. */
export async function planRelease(
  { engine: { reader }, clock }: ActionContext,
  { onWatch, ...plan }: Omit<ReleasePlan, 'signs'> & Pick<Lookout, 'onWatch'>,
): Promise<ReleasePlan> {
  const rows = plan.forced ? [] : plan.found.targets.flatMap(({ row }) => row ?? [])
  const signs = await signsOf(rows, { store: reader, clock, ...(onWatch ? { onWatch } : {}) })
  return { ...plan, signs }
}

export interface Released {
  target: WorkerTarget
  sign: Sign | null
  /** Keys of the jobs that were, or would be, ended as lost; null when the worker lives or has left. */
  jobs: readonly number[] | null
}

export async function previewRelease(
  { reader }: Engine,
  { found, signs }: ReleasePlan,
): Promise<readonly Released[]> {
  return releaseEach(found.targets, signs, (id) => reader.running(id))
}

/** Ends the attempts of dead workers as lost and removes their rows. `targetOf` words the record of each. */
export async function applyRelease(
  { engine, who }: ActionContext,
  { found, signs, forced, reason }: ReleasePlan,
  targetsOf: (released: readonly Released[]) => readonly NewTarget[],
): Promise<{ released: readonly Released[]; operation: number | null }> {
  const release = { who, reason, forced }
  const isAny = found.targets.some(({ id }) => isTaken(signs.get(id)))
  if (!isAny) return { released: await releaseEach(found.targets, signs, async () => []), operation: null }
  const all = [...found.targets, ...found.missing].map(({ id }) => id)
  const flags = forced ? { forced } : {}
  const named = { verb: 'release' as const, who, reason, selector: namedTargets(all), flags }
  const store = engine[writer]
  const { result, operation } = await asOperation(store, { ...named, matched: all.length }, async (id) => {
    const released = await releaseEach(found.targets, signs, (worker) =>
      releaseWorker(engine, worker, { ...release, operation: id }),
    )
    const targets = targetsOf(released).map((target) => ({ operation: id, target }))
    await store.transact(addTarget, targets, store.now())
    return released
  })
  return { released: result, operation: operation.id }
}

const isTaken = (sign: Sign | undefined) => sign?.is !== 'left' && sign?.is !== 'alive'

async function releaseEach(
  targets: readonly WorkerTarget[],
  signs: ReadonlyMap<string, Sign>,
  release: (id: string) => Promise<readonly { key: number }[]>,
): Promise<readonly Released[]> {
  const released: Released[] = []
  for (const target of targets) {
    const sign = signs.get(target.id)
    const jobs = isTaken(sign) ? (await release(target.id)).map(({ key }) => key) : null
    released.push({ target, sign: sign ?? null, jobs })
  }
  return released
}
