/**
 * A bulk resolution that is watched: a few jobs first and the others only when those came through, or all of them and what
 * became of each. All of it is one operation. Nothing is claimed that was not seen, and nothing that is done is lost with an error.
 */
import { chooseCanaries, type CanaryChoice } from '../domain/canary.ts'
import type { Applied } from '../domain/resolution.ts'
import type { Watched } from '../domain/rerun-result.ts'
import { changeInBatches, recordPassedBy, type Bulk } from './bulk.ts'
import { writer, type Engine } from './engine.ts'
import type { Held } from './inspector.ts'
import { asOperation, flagsOf } from './operation-log.ts'
import { cannotStart, isThrough, verify, type Verification } from './watch-outcomes.ts'

export interface VerifiedBulk extends Omit<Bulk, 'onBatch' | 'onBegin'> {
  /** How many are tried first; null: all at once. */
  canary: number | null
  verifyMs: number
  /** Words of how far it is, each as it happens. */
  told?: Partial<VerifiedWords> | undefined
}

export interface VerifiedWords {
  changing(done: number, of: number): void
  changed(applied: readonly Applied[]): void
  trying(choice: CanaryChoice<Watched>): void
  proven(verification: Verification, others: number): void
  watching(done: number, of: number): void
  /** Once for each type, as soon as it is seen. */
  held(type: string, held: Held): void
}

export interface VerifiedEnd {
  /** Of all of it: `wf undo` takes it back. */
  operation: number
  /** Of the targets that were reached. */
  applied: readonly Applied[]
  choice: CanaryChoice<Watched> | null
  /** Null when nothing was watched, because it broke off before. */
  verification: Verification | null
  /** The others were taken on after the canaries, or there were none to be tried first. */
  hasGoneOn: boolean
  /** What broke it off; null when nothing did. */
  failure: unknown
}

const keysPerRead = 1_000

/** Rejects with the store's error only when nothing was changed. */
export async function changeVerified(bulk: VerifiedBulk): Promise<VerifiedEnd> {
  const { engine, keys, passedBy = [], resolution, canary, verifyMs, perSecond } = bulk
  const { verb, who, reason } = resolution
  const flags = {
    ...flagsOf(resolution),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(canary === null ? {} : { canary }),
    verifyMs,
  }
  const named = { verb, who, reason, selector: bulk.selector, flags, matched: keys.length + passedBy.length }
  const watched = await watchedOf(engine, keys)
  const { result } = await asOperation(engine[writer], named, async (operation) => {
    await recordPassedBy(bulk, operation)
    const run = new VerifiedRun(bulk, operation)
    return canary === null ? run.allAtOnce(watched) : run.canariesFirst(watched, canary)
  })
  return result
}

class VerifiedRun {
  readonly #bulk: VerifiedBulk
  readonly #told: Partial<VerifiedWords>
  readonly #operation: number
  readonly #applied: Applied[] = []
  #failure: unknown = null

  constructor(bulk: VerifiedBulk, operation: number) {
    this.#bulk = bulk
    this.#told = bulk.told ?? {}
    this.#operation = operation
  }

  async allAtOnce(watched: readonly Watched[]): Promise<VerifiedEnd> {
    const applied = await this.#changeAll(this.#bulk.keys)
    this.#told.changed?.(applied)
    const verification = await this.#watch(changedOf(watched, applied), false)
    return this.#end({ choice: null, verification, hasGoneOn: true })
  }

  async canariesFirst(watched: readonly Watched[], count: number): Promise<VerifiedEnd> {
    const choice = chooseCanaries(watched, count)
    const canaries = choice.canaries.map(({ jobKey }) => jobKey)
    if (canaries.length === 0) return this.allAtOnce(watched)
    const stuck = await cannotStart(this.#bulk.engine.reader, choice.canaries)
    if (stuck.length > 0)
      return this.#end({
        choice,
        verification: { ended: 'held', seen: [], unfinished: stuck, tookMs: 0 },
        hasGoneOn: false,
      })
    const tried = changedOf(choice.canaries, await this.#changeAll(canaries))
    this.#told.trying?.(choice)
    const verification = await this.#watch(tried, true)
    const hasGoneOn = verification !== null && isProof(verification, tried)
    if (hasGoneOn) {
      const chosen = new Set(canaries)
      const others = this.#bulk.keys.filter((key) => !chosen.has(key))
      this.#told.proven?.(verification, others.length)
      await this.#changeAll(others)
    }
    return this.#end({ choice, verification, hasGoneOn })
  }

  #end(seen: Pick<VerifiedEnd, 'choice' | 'verification' | 'hasGoneOn'>): VerifiedEnd {
    return { ...seen, operation: this.#operation, applied: this.#applied, failure: this.#failure }
  }

  async #changeAll(keys: readonly number[]): Promise<readonly Applied[]> {
    const { engine, clock, resolution, perSecond, signal } = this.#bulk
    const applied: Applied[] = []
    const onBatch = (batch: readonly Applied[]) => {
      for (const each of batch) applied.push(each)
      this.#told.changing?.(applied.length, keys.length)
    }
    const part = { engine, clock, keys, resolution, onBatch, signal, perSecond }
    try {
      await changeInBatches(part, this.#operation)
    } catch (error) {
      this.#broke(error, applied)
    }
    for (const each of applied) this.#applied.push(each)
    return applied
  }

  async #watch(watched: readonly Watched[], stopsEarly: boolean): Promise<Verification | null> {
    if (this.#failure !== null) return null
    const { engine, clock, verifyMs, signal } = this.#bulk
    try {
      return await verify({
        ...{ store: engine.reader, events: engine.events, clock, watched, stopsEarly },
        ...{ timeoutMs: verifyMs, signal },
        onHeld: (type, held) => this.#told.held?.(type, held),
        onProgress: (done, of) => this.#told.watching?.(done, of),
      })
    } catch (error) {
      this.#broke(error, [])
      return null
    }
  }

  #broke(error: unknown, applied: readonly Applied[]): void {
    if (applied.length === 0 && this.#applied.length === 0) throw error
    this.#failure = error
  }
}

/** Every one that was tried was seen to its end, and came through. */
function isProof({ ended, seen }: Verification, tried: readonly Watched[]): boolean {
  return ended === 'all' && tried.length > 0 && seen.every(({ verdict }) => isThrough(verdict))
}

/** How the open incidents of the targets stand, in the order of the keys; a job without one is not among them. */
async function watchedOf({ reader }: Engine, keys: readonly number[]): Promise<readonly Watched[]> {
  const found = new Map<number, Watched>()
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const { items } = await reader.incidents(
      { keys: keys.slice(start, start + keysPerRead) },
      { limit: keysPerRead },
    )
    for (const { jobKey, type, kind, fingerprint, job } of items)
      found.set(jobKey, { jobKey, type, kind, fingerprint, attempt: job.attempt })
  }
  return keys.flatMap((key) => found.get(key) ?? [])
}

function changedOf(watched: readonly Watched[], applied: readonly Applied[]): readonly Watched[] {
  const changed = new Set(applied.filter(({ status }) => status === 'changed').map(({ jobKey }) => jobKey))
  return watched.filter(({ jobKey }) => changed.has(jobKey))
}
