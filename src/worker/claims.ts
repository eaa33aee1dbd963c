/** What a worker may claim now: slots, the share of suspects, and how many jobs it takes in its life. Claims nothing itself. */
import type { Clock } from '../clock.ts'
import type { ClaimedJob, Job } from '../domain/job.ts'
import type { ClaimRequest, Store } from '../store/store.ts'
import { mostAtOnce } from './exchange-loop.ts'
import type { LoadedHandler } from './loaded-handler.ts'
import { Slots } from './slots.ts'
import { suspectCrashes, SuspectTurn } from './suspect-turn.ts'

export interface ClaimsOptions {
  clock: Clock
  workerId: string
  handlers: ReadonlyMap<string, LoadedHandler>
  concurrency?: number
  suspects?: boolean
  maxJobs?: number
  isolated: boolean
}

export class Claims {
  readonly #workerId: string
  readonly #types: readonly string[]
  readonly #slots: Slots
  /** True in a quarantine. */
  readonly #onlySuspects: boolean
  /** Null where a quarantine child takes the suspects. */
  readonly #turn: SuspectTurn | null
  #left: number

  constructor({ clock, workerId, handlers, concurrency, suspects = false, maxJobs, isolated }: ClaimsOptions) {
    this.#workerId = workerId
    this.#types = [...handlers.keys()]
    this.#slots = new Slots(handlers, suspects ? 1 : concurrency)
    this.#onlySuspects = suspects
    this.#turn = isolated || suspects ? null : new SuspectTurn(clock)
    this.#left = maxJobs ?? Number.POSITIVE_INFINITY
  }

  /** Jobs at once. */
  get total(): number {
    return this.#slots.total
  }

  /** It has taken as many as it was to take. */
  get isSpent(): boolean {
    return this.#left <= 0
  }

  next(leaving: readonly string[]): ClaimRequest | null {
    const turn = this.#turn?.next(this.#slots.taken - leaving.length) ?? 'usual'
    if (turn === 'nothing') return null
    const suspects = this.#onlySuspects || turn === 'suspect'
    const wish = this.#slots.wish(Math.min(suspects ? 1 : mostAtOnce, this.#left), leaving)
    return wish && { workerId: this.#workerId, suspects, ...wish }
  }

  claimed(jobs: readonly ClaimedJob[], { suspects }: ClaimRequest): void {
    for (const { type } of jobs) this.#slots.take(type)
    this.#left -= jobs.length
    if (suspects) this.#turn?.claimed(jobs.length > 0)
  }

  /** A job that turned out to be held: it has a slot until it is given back. */
  found({ type }: Job): void {
    this.#slots.take(type)
  }

  /** The job's slot is free: its settlement is stored, or nobody wants to hear of it. */
  freed({ type, crashes }: Job): void {
    this.#slots.free(type)
    if (crashes >= suspectCrashes) this.#turn?.ended()
  }

  /** Whether a claim would find something. Reads only. */
  async look(store: Pick<Store, 'hasDue' | 'now'>): Promise<boolean> {
    const now = store.now()
    const open = this.#slots.openTypes()
    const usual = open.length > 0 && (await store.hasDue(open, this.#onlySuspects, now))
    if (!this.#turn || !(await store.hasDue(this.#types, true, now))) return usual
    this.#turn.isDue()
    return true
  }

  /** Epoch ms of the next job to fall due of the types that have room. */
  async nextDue(store: Pick<Store, 'nextDue'>): Promise<number | null> {
    const open = this.#slots.openTypes()
    return open.length > 0 ? store.nextDue(open) : null
  }
}
