/**
 * `incidents resolve --canary N --verify D`: a few jobs first, the others only when those came through; or all of them, and
 * what became of each. Words go out as it happens, the sum at the end, and nothing is claimed that was not seen.
 */
import { chooseCanaries, type CanaryChoice } from '../domain/canary.ts'
import type { Resolution } from '../domain/resolution.ts'
import type { Selector } from '../domain/selector.ts'
import type { WfError } from '../domain/errors.ts'
import type { Watched } from '../domain/verdict.ts'
import type { Engine } from '../engine/engine.ts'
import { changeInBatches, recordPassedBy } from '../engine/bulk.ts'
import { asOperation, flagsOf } from '../engine/operations.ts'
import { cannotStart, isThrough, verify, type Verification } from '../engine/verify.ts'
import { selectorWords, type ChangeContext } from './bulk-change.ts'
import type { Change } from './changes.ts'
import { toWfError } from './errors.ts'
import type { ExitCode } from './exit-codes.ts'
import { onInterrupt, type Interrupt } from './interrupt.ts'
import type { MadeOperation } from './operation-line.ts'
import { createProgress } from './progress.ts'
import { tellCanaries, tellHeld, tellProven, tellVerified, tellWaiting } from './verified-view.ts'

export interface VerifiedChange {
  engine: Engine
  /** Frozen targets. */
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey' | 'operation'>
  /** What was meant, for the record; the keys unless told. */
  selector?: Selector
  /** Matched, and passed by for a reason. */
  passedBy: readonly Change[]
  /** How many are tried first; null: all at once. */
  canary: number | null
  verifyMs: number
  /** Jobs a second, at most; unset: as fast as others leave room. */
  perSecond?: number | undefined
}

export interface VerifiedEnd {
  /** Of all of it; takes it back with `wf undo`. */
  operation: MadeOperation
  changes: readonly Change[]
  /** Of how many targets. */
  matched: number
  choice: CanaryChoice<Watched> | null
  /** Null when nothing was watched, because it broke off before. */
  verification: Verification | null
  /** The others were taken on after the canaries, or there were none to be tried first. */
  hasGoneOn: boolean
  /** What broke it off. */
  failure: WfError | null
  stoppedWith: ExitCode | null
}

const keysPerRead = 1_000

/** One operation, whatever comes of it; what is not reached of it was left as it was. */
export async function changeVerified(context: ChangeContext, change: VerifiedChange): Promise<ExitCode> {
  const interrupt = onInterrupt()
  const { engine, keys, passedBy, resolution, canary, verifyMs } = change
  const { verb, who, reason } = resolution
  const flags = { ...flagsOf(resolution), ...(canary === null ? {} : { canary }), verifyMs }
  const named = { verb, who, reason, selector: selectorWords(change), flags, matched: keys.length + passedBy.length }
  try {
    const watched = await watchedOf(change)
    const { result } = await asOperation(engine.store, named, async (operation) => {
      await recordPassedBy({ engine, passedBy }, operation)
      const run = new VerifiedRun(context, { change, interrupt, operation })
      return canary === null ? run.allAtOnce(watched) : run.canariesFirst(watched, canary)
    })
    return tellVerified(context.output, result)
  } finally {
    interrupt.release()
  }
}

interface RunParts {
  change: VerifiedChange
  interrupt: Interrupt
  operation: number
}

class VerifiedRun {
  readonly #context: ChangeContext
  readonly #change: VerifiedChange
  readonly #interrupt: Interrupt
  readonly #operation: number
  readonly #changes: Change[] = []
  #failure: WfError | null = null

  constructor(context: ChangeContext, { change, interrupt, operation }: RunParts) {
    this.#context = context
    this.#change = change
    this.#interrupt = interrupt
    this.#operation = operation
  }

  async allAtOnce(watched: readonly Watched[]): Promise<VerifiedEnd> {
    const changes = await this.#changeAll(this.#change.keys)
    tellWaiting(this.#context.output, changes, this.#change.verifyMs)
    const verification = await this.#watch(changedOf(watched, changes), false)
    return this.#end({ choice: null, verification, hasGoneOn: true })
  }

  async canariesFirst(watched: readonly Watched[], count: number): Promise<VerifiedEnd> {
    const { output } = this.#context
    const choice = chooseCanaries(watched, count)
    const canaries = choice.canaries.map(({ jobKey }) => jobKey)
    if (canaries.length === 0) return this.allAtOnce(watched)
    const stuck = await cannotStart(this.#change.engine.store, choice.canaries)
    if (stuck.length > 0) return this.#end({ choice, verification: { ended: 'held', seen: [], unfinished: stuck, tookMs: 0 }, hasGoneOn: false })
    const changes = await this.#changeAll(canaries)
    const tried = changedOf(choice.canaries, changes)
    tellCanaries(output, choice, this.#change.verifyMs)
    const verification = await this.#watch(tried, true)
    const hasGoneOn = verification !== null && isProof(verification, tried)
    if (hasGoneOn) {
      const chosen = new Set(canaries)
      const others = this.#change.keys.filter((key) => !chosen.has(key))
      tellProven(output, verification, others.length)
      await this.#changeAll(others)
    }
    return this.#end({ choice, verification, hasGoneOn })
  }

  #end(seen: Pick<VerifiedEnd, 'choice' | 'verification' | 'hasGoneOn'>): VerifiedEnd {
    const { keys, passedBy, resolution } = this.#change
    const changed = this.#changes.filter(({ status }) => status === 'changed').length
    return {
      ...seen,
      operation: { id: this.#operation, verb: resolution.verb, changed, suffix: this.#context.suffix ?? '' },
      changes: [...this.#changes, ...passedBy],
      matched: keys.length + passedBy.length,
      failure: this.#failure,
      stoppedWith: this.#interrupt.exitCode,
    }
  }

  async #changeAll(keys: readonly number[]): Promise<readonly Change[]> {
    const { engine, resolution, perSecond } = this.#change
    const { output, clock } = this.#context
    const progress = createProgress(output, clock, 'jobs')
    const changes: Change[] = []
    const onBatch = (applied: readonly Change[]) => {
      for (const each of applied) changes.push(each)
      progress.update(changes.length, changes.length / keys.length)
    }
    const bulk = { engine, clock, keys, resolution, signal: this.#interrupt.signal, onBatch, ...(perSecond === undefined ? {} : { perSecond }) }
    try {
      await changeInBatches(bulk, this.#operation)
    } catch (error) {
      this.#broke(error, changes)
    } finally {
      progress.end()
    }
    for (const each of changes) this.#changes.push(each)
    return changes
  }

  async #watch(watched: readonly Watched[], stopsEarly: boolean): Promise<Verification | null> {
    if (this.#failure) return null
    const { output, clock } = this.#context
    const { engine, verifyMs } = this.#change
    const progress = createProgress(output, clock, 'jobs at rest')
    try {
      return await verify({
        ...{ store: engine.store, events: engine.events, clock, watched, stopsEarly },
        timeoutMs: verifyMs,
        signal: this.#interrupt.signal,
        onHeld: (type, held) => tellHeld(output, type, held),
        onProgress: (done, of) => progress.update(done, of === 0 ? null : done / of),
      })
    } catch (error) {
      this.#broke(error, [])
      return null
    } finally {
      progress.end()
    }
  }

  /** What is done already must not be lost with the error. */
  #broke(error: unknown, changes: readonly Change[]): void {
    if (changes.length === 0 && this.#changes.length === 0) throw error
    this.#failure = toWfError(error, '')
  }
}

/** Every one that was tried was seen to its end, and came through. */
function isProof({ ended, seen }: Verification, tried: readonly Watched[]): boolean {
  return ended === 'all' && tried.length > 0 && seen.every(({ verdict }) => isThrough(verdict))
}

/** How the open incidents of the targets stand, in the order of the keys; a job without one is not among them. */
async function watchedOf({ engine, keys }: VerifiedChange): Promise<readonly Watched[]> {
  const found = new Map<number, Watched>()
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const { items } = await engine.store.incidents({ keys: keys.slice(start, start + keysPerRead) }, { limit: keysPerRead })
    for (const { jobKey, type, kind, fingerprint, job } of items) found.set(jobKey, { jobKey, type, kind, fingerprint, attempt: job.attempt })
  }
  return keys.flatMap((key) => found.get(key) ?? [])
}

function changedOf(watched: readonly Watched[], changes: readonly Change[]): readonly Watched[] {
  const changed = new Set(changes.filter(({ status }) => status === 'changed').map(({ jobKey }) => jobKey))
  return watched.filter(({ jobKey }) => changed.has(jobKey))
}
