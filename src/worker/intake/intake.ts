/**
 * Decides how many jobs of which types this worker may claim, and starts the claimed ones. What bounds a claim: free slots, the
 * breakers of the types' dependencies, the isolation of suspects, and how many jobs the worker takes in its life.
 */
import type { Reader } from '../../engine/engine.ts'
import type { Clock } from '../../clock.ts'
import type { ClaimedJob, Job } from '../../domain/job.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import type { ClaimRequest } from '../../store/port.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { exchangeLimit, type ClaimSource, type Outbox } from '../outbox/outbox.ts'
import type { Runner } from '../runner/runner.ts'
import { BreakerAdmission } from './breaker-admission.ts'
import { Slots } from './slots.ts'
import { StartQueue } from './start-queue.ts'
import { suspectCrashes, SuspectIsolation } from './suspect-isolation.ts'

export interface IntakeOptions {
  clock: Clock
  store: Pick<Reader, 'hasDue' | 'nextDue' | 'now' | 'running'>
  workerId: string
  handlers: ReadonlyMap<string, LoadedHandler>
  dependencies: Pick<Dependencies, 'breakers'>
  runner: Pick<Runner, 'start' | 'running'>
  outbox: Pick<Outbox, 'claimSoon' | 'giveBack' | 'isHungry' | 'queue'>
  concurrency?: number
  /** Claims only suspects, one at a time (a quarantine process). */
  suspects?: boolean
  maxJobs?: number
  isolated: boolean
}

export class Intake implements ClaimSource {
  readonly #options: IntakeOptions
  readonly #types: readonly string[]
  readonly #slots: Slots
  readonly #admission: BreakerAdmission
  readonly #starts: StartQueue
  /** Null where a quarantine process takes the suspects. */
  readonly #isolation: SuspectIsolation | null
  #left: number
  #closed = false
  #fenced = false

  constructor(options: IntakeOptions) {
    const { clock, handlers, concurrency, suspects, maxJobs, isolated } = options
    this.#options = options
    this.#types = [...handlers.keys()]
    this.#slots = new Slots(handlers, suspects ? 1 : concurrency)
    this.#admission = new BreakerAdmission(options)
    this.#isolation = isolated || suspects ? null : new SuspectIsolation(clock)
    this.#starts = new StartQueue(clock, (job) => this.#start(job))
    this.#left = maxJobs ?? Number.POSITIVE_INFINITY
  }

  /** Jobs that may run at once. */
  get concurrency(): number {
    return this.#slots.total
  }

  /** Claimed jobs that have not started. */
  get waiting(): readonly ClaimedJob[] {
    return this.#starts.waiting
  }

  /** Whether the worker has taken and started as many jobs as it may. */
  get isSpent(): boolean {
    return this.#left <= 0 && this.waiting.length === 0
  }

  next(leaving: readonly string[]): ClaimRequest | null {
    if (!this.#accepts) return null
    const turn = this.#isolation?.next(this.#slots.taken - leaving.length) ?? 'usual'
    if (turn === 'nothing') return null
    const suspects = this.#options.suspects === true || turn === 'suspect'
    const most = Math.min(suspects ? 1 : exchangeLimit, this.#left)
    const request = this.#slots.request(most, leaving, this.#admission.grants())
    return request && { workerId: this.#options.workerId, suspects, ...request }
  }

  claimed(jobs: readonly ClaimedJob[], { suspects }: ClaimRequest): void {
    for (const job of jobs) {
      this.#slots.take(job.type)
      this.#admission.claimed(job)
    }
    this.#left -= jobs.length
    if (suspects) this.#isolation?.claimed(jobs.length > 0)
    // A claim of suspects that found none says nothing about other jobs.
    if (jobs.length === 0 && suspects && !this.#options.suspects) this.#options.outbox.claimSoon()
    this.#starts.add(jobs)
  }

  /** Gives back jobs that the store holds for this worker although they don't run here. Each takes a slot until then. */
  async reconcile(): Promise<void> {
    const { store, runner, outbox, workerId } = this.#options
    const held = await store.running(workerId)
    const ended = outbox.queue.map(({ ended: { job } }) => job)
    const running = [...runner.running].map(({ job }) => job)
    const known = new Set([...running, ...ended, ...this.waiting].map(nameOf))
    const unknown = held.filter((job) => !known.has(nameOf(job)))
    for (const { type } of unknown) this.#slots.take(type)
    outbox.giveBack(unknown)
  }

  /** Frees the slot of a job whose outcome is stored or not to be reported. */
  release(job: Job): void {
    this.#slots.free(job.type)
    this.#admission.freed(job)
    if (job.crashes >= suspectCrashes) this.#isolation?.ended()
  }

  /** Reads whether a claim would find something, and has the outbox claim it. False: nothing was due. */
  async poll(): Promise<boolean> {
    if (!this.#accepts) return true
    const { outbox } = this.#options
    const found = outbox.isHungry || (await this.#hasDue())
    if (found) outbox.claimSoon()
    return found
  }

  /** Epoch ms at which there may be something to claim: a job falls due, or a breaker admits more. */
  async nextDue(): Promise<number | null> {
    const { store } = this.#options
    const open = this.#admission.open(this.#slots.openTypes())
    const due = open.length > 0 ? await store.nextDue(open) : null
    const inMs = this.#admission.changesInMs()
    if (inMs === null) return due
    return Math.min(due ?? Number.POSITIVE_INFINITY, store.now() + Math.ceil(inMs))
  }

  /** Claims nothing while the lease is lost. */
  fence(): void {
    this.#fenced = true
  }

  /** The lease holds again. */
  unfence(): void {
    if (!this.#fenced) return
    this.#fenced = false
    this.#options.outbox.claimSoon()
  }

  /** Ends all claims, and gives back the jobs that have not started. */
  close(): void {
    this.#closed = true
    this.#options.outbox.giveBack(this.#starts.takeBack())
  }

  get #accepts(): boolean {
    return !this.#closed && !this.#fenced
  }

  #start(job: ClaimedJob): void {
    const { handlers, runner, outbox } = this.#options
    const handler = handlers.get(job.type)
    if (handler && this.#accepts) runner.start(job, handler)
    else outbox.giveBack([job])
  }

  async #hasDue(): Promise<boolean> {
    const { store, suspects = false } = this.#options
    const now = store.now()
    const open = this.#admission.open(this.#slots.openTypes())
    const usual = open.length > 0 && (await store.hasDue(open, suspects, now))
    if (!this.#isolation || !(await store.hasDue(this.#admission.open([...this.#types]), true, now)))
      return usual
    this.#isolation.isDue()
    return true
  }
}

function nameOf({ key, attempt }: Job): string {
  return `${key}/${attempt}`
}
