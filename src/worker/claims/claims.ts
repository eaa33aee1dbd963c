/** What a worker may claim now: slots, what breakers hold, the share of suspects, and how many jobs it takes in its life. Claims nothing itself. */
import type { Clock } from '../../clock.ts'
import type { ClaimedJob, Job } from '../../domain/job.ts'
import type { ClaimRequest, Store } from '../../store/port.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import { mostAtOnce } from './exchange-loop.ts'
import { Holds } from './breaker-admission.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { Slots } from './slots.ts'
import { suspectCrashes, SuspectTurn } from './suspect-isolation.ts'

export interface ClaimsOptions {
  clock: Clock
  workerId: string
  handlers: ReadonlyMap<string, LoadedHandler>
  dependencies: Pick<Dependencies, 'breakers'>
  concurrency?: number
  suspects?: boolean
  maxJobs?: number
  isolated: boolean
}

export class Claims {
  readonly #workerId: string
  readonly #types: readonly string[]
  readonly #slots: Slots
  readonly #holds: Holds
  /** True in a quarantine. */
  readonly #onlySuspects: boolean
  /** Null where a quarantine child takes the suspects. */
  readonly #turn: SuspectTurn | null
  #left: number

  constructor(options: ClaimsOptions) {
    const { clock, workerId, handlers, concurrency, suspects = false, maxJobs, isolated } = options
    this.#workerId = workerId
    this.#types = [...handlers.keys()]
    this.#slots = new Slots(handlers, suspects ? 1 : concurrency)
    this.#holds = new Holds(options)
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
    const wish = this.#slots.wish(
      Math.min(suspects ? 1 : mostAtOnce, this.#left),
      leaving,
      this.#holds.grants(),
    )
    return wish && { workerId: this.#workerId, suspects, ...wish }
  }

  claimed(jobs: readonly ClaimedJob[], { suspects }: ClaimRequest): void {
    for (const job of jobs) {
      this.#slots.take(job.type)
      this.#holds.claimed(job)
    }
    this.#left -= jobs.length
    if (suspects) this.#turn?.claimed(jobs.length > 0)
  }

  /** A job that turned out to be held: it has a slot until it is given back. */
  found({ type }: Job): void {
    this.#slots.take(type)
  }

  /** The job's slot is free: its settlement is stored, or nobody wants to hear of it. */
  freed(job: Job): void {
    this.#slots.free(job.type)
    this.#holds.freed(job)
    if (job.crashes >= suspectCrashes) this.#turn?.ended()
  }

  /** Whether a claim would find something. Reads only. */
  async look(store: Pick<Store, 'hasDue' | 'now'>): Promise<boolean> {
    const now = store.now()
    const open = this.#holds.open(this.#slots.openTypes())
    const usual = open.length > 0 && (await store.hasDue(open, this.#onlySuspects, now))
    if (!this.#turn || !(await store.hasDue(this.#holds.open([...this.#types]), true, now))) return usual
    this.#turn.isDue()
    return true
  }

  /** Epoch ms at which there may be something to claim: a job falls due of a type that has room, or a breaker lets more through. */
  async nextDue(store: Pick<Store, 'nextDue' | 'now'>): Promise<number | null> {
    const open = this.#holds.open(this.#slots.openTypes())
    const due = open.length > 0 ? await store.nextDue(open) : null
    const inMs = this.#holds.changesInMs()
    if (inMs === null) return due
    return Math.min(due ?? Number.POSITIVE_INFINITY, store.now() + Math.ceil(inMs))
  }
}
