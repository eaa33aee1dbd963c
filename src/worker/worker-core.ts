/** The parts of a worker put together: executor, claims, exchange loop, looks and departure. */
import type { Clock } from '../clock.ts'
import type { ClaimedJob, Job } from '../domain/job.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { EngineEventMap } from '../engine/events.ts'
import { fallbackPolicy } from '../engine/fallback-policy.ts'
import type { ClaimRequest, Settled } from '../store/port.ts'
import type { AbortKind } from './attempt/abort-reason.ts'
import type { Attempt } from './attempt/attempt.ts'
import { Claims } from './claims/claims.ts'
import { Departure, lastWordMs } from './claims/shutdown.ts'
import { ExchangeLoop, type Handover } from './claims/exchange-loop.ts'
import { type AttemptEnd, Executor } from './attempt/executor.ts'
import { HeldCheck } from './claims/lease-check.ts'
import { IdleLook } from './claims/claim-poller.ts'
import { createJobLog, type JobLog } from './job-log.ts'
import { createKit, type Kit } from './attempt/attempt-services.ts'
import { createSharedBreakers, type SharedBreakers } from './breakers/shared-breakers.ts'
import { LocalBreakers } from './breakers/local-breakers.ts'
import { Starts } from './claims/start-queue.ts'
import { Trouble } from './error-throttle.ts'
import type { RunningAttempt, Worker, WorkerOptions } from './worker.ts'
import { tellAbandoned, tellGone, tellPanic, tellStale, tellUnstored } from './worker-messages.ts'

const givenBack: Outcome = { kind: 'interrupted', reason: 'the worker shut down' }
/** After an error that no handler caught nobody knows how sound the process is: what runs gets this long. */
const panicTimes = { abortInMs: 25_000, graceMs: 30_000 }
const mostPanicLines = 5
const mostRemembered = 3
const stopLastMs = 500

export class WorkerCore implements Worker {
  readonly #options: WorkerOptions
  readonly #kit: Kit
  readonly #breakers: SharedBreakers
  readonly #localBreakers: LocalBreakers
  readonly #claims: Claims
  readonly #starts: Starts
  readonly #executor: Executor
  readonly #loop: ExchangeLoop
  readonly #look: IdleLook
  readonly #heldCheck: HeldCheck
  readonly #departure: Departure
  readonly #jobLog: JobLog
  #endings: (() => void)[] = []
  #fenced = false
  #settled = 0
  #panics = 0
  /** The last few, newest first: what they left behind may still fail. */
  #justEnded: readonly Job[] = []
  #toldAbandoned = false

  constructor(options: WorkerOptions) {
    const { engine, clock, log, workerId } = options
    this.#options = options
    const { store, events } = engine
    this.#breakers = createSharedBreakers({ store, clock, log, workerId })
    const { sharedBreaker } = this.#breakers
    this.#kit = createKit({
      ...options,
      events,
      steps: store,
      sharedBreaker,
      onBreaker: () => this.#localBreakers.changed(),
    })
    this.#localBreakers = new LocalBreakers({ ...options, store, dependencies: this.#kit.dependencies })
    this.#claims = new Claims({ ...options, dependencies: this.#kit.dependencies })
    this.#starts = new Starts(clock, (job) => this.#start(job))
    this.#executor = this.#createExecutor(options)
    this.#loop = this.#createLoop(options)
    this.#look = new IdleLook({
      clock,
      now: () => store.now(),
      look: () => this.#lookForWork(),
      nextDue: () => this.#claims.nextDue(store),
      trouble: new Trouble(clock, log, 'looking for jobs'),
    })
    const { running } = this.#executor
    this.#heldCheck = new HeldCheck({
      store,
      clock,
      workerId,
      running,
      onGone: (attempt, kind) => this.#gone(attempt, kind),
    })
    this.#departure = this.#createDeparture(clock)
    this.#jobLog = createJobLog({ log, clock, events, workerId })
  }

  #createExecutor({ engine: { store, events, sizes }, clock, log, storeId }: WorkerOptions): Executor {
    return new Executor({
      clock,
      log,
      storeId,
      sizes,
      kit: this.#kit,
      now: () => store.now(),
      progress: (told) => events.emit('progress', told),
      onEnd: (end) => this.#ended(end),
    })
  }

  #createLoop({ engine, clock, random, log }: WorkerOptions): ExchangeLoop {
    return new ExchangeLoop({
      engine,
      clock,
      random,
      trouble: new Trouble(clock, log, 'taking and settling jobs'),
      nextClaim: (leaving) => (this.#accepts ? this.#claims.next(leaving) : null),
      onClaimed: (jobs, claim) => this.#claimed(jobs, claim),
      onSettled: (handover, result) => this.#settledOne(handover, result),
      clearDoubt: () => this.#giveBackUnknown(),
      onQuiet: () => this.#departure.check(),
    })
  }

  #createDeparture(clock: Clock): Departure {
    return new Departure({
      clock,
      onBegin: () => this.#giveBack(this.#starts.takeBack()),
      abort: () => this.#executor.abort(this.#executor.running, 'shutdown'),
      giveUp: () => this.#giveUpRunning(),
      isDone: () =>
        this.#executor.running.size === 0 && this.#starts.waiting.length === 0 && this.#loop.isQuiet,
      onEnd: (complete) => this.#close(complete),
    })
  }

  get finished() {
    return this.#departure.finished
  }

  get settledCount(): number {
    return this.#settled
  }

  get running(): readonly RunningAttempt[] {
    return [...this.#executor.running].map(({ job }) => ({
      jobKey: job.key,
      attempt: job.attempt,
      type: job.type,
      startedAt: job.startedAt ?? 0,
    }))
  }

  start(): void {
    if (this.#departure.hasBegun || this.#endings.length > 0) return
    const { store, events } = this.#options.engine
    const news = () => this.#look.news()
    this.#jobLog.start()
    this.#endings = [
      store.watch(() => this.#changed()),
      events.on('enqueued', news),
      events.on('resumed', news),
      events.on('resolved', () => this.#changed()),
      events.on('settled', (settled) => this.#heardOf(settled)),
    ]
    this.#look.start()
    this.#localBreakers.start()
  }

  async drain(times: { graceMs: number; abortInMs: number }): Promise<void> {
    this.#departure.begin('drained')
    this.#departure.limit(times, lastWordMs)
    await this.finished
  }

  async stop(): Promise<void> {
    this.#departure.begin('drained')
    this.#departure.limit({ abortInMs: 0, graceMs: 0 }, stopLastMs)
    await this.finished
  }

  held(attempts: readonly { jobKey: number; attempt: number }[]): void {
    if (this.#fenced) {
      this.#fenced = false
      this.#loop.lookForWork()
    }
    this.#heldCheck.compare(attempts)
  }

  fence(): void {
    this.#fenced = true
    this.#executor.abort(this.#executor.running, 'lease_lost')
  }

  panic(error: unknown): void {
    const { log, engine, handlers } = this.#options
    const running = [...this.#executor.running].map(({ job }) => job)
    const near = { running, ended: this.#justEnded }
    const [type, another] = new Set([...running, ...this.#justEnded].map((job) => job.type))
    const [only, more] = type === undefined ? handlers.keys() : [type, another]
    const labels = { type: more === undefined ? (only ?? 'unknown') : 'unknown' }
    engine.events.emit('counted', { metric: 'wf_worker_panics_total', labels, value: 1 })
    if (this.#panics++ < mostPanicLines) tellPanic(log, error, near)
    this.#departure.begin('panic')
    this.#departure.limit(panicTimes)
  }

  get #accepts(): boolean {
    return !this.#departure.hasBegun && !this.#fenced
  }

  #claimed(jobs: readonly ClaimedJob[], claim: ClaimRequest): void {
    this.#claims.claimed(jobs, claim)
    // That no suspect was left says nothing about the others.
    if (jobs.length === 0 && claim.suspects && !this.#options.suspects) this.#loop.lookForWork()
    this.#starts.add(jobs)
    this.#leaveIfSpent()
  }

  /** Only when the last job has started: what has not when a worker leaves is given back. */
  #leaveIfSpent(): void {
    if (this.#claims.isSpent && this.#starts.waiting.length === 0) this.#departure.begin('max_jobs')
  }

  #start(job: ClaimedJob): void {
    const handler = this.#options.handlers.get(job.type)
    if (handler && this.#accepts) this.#executor.start(job, handler)
    else this.#giveBack([job])
  }

  #ended({ attempt, outcome, durationMs }: AttemptEnd): void {
    const { job, handler, children } = attempt
    this.#justEnded = [job, ...this.#justEnded.slice(0, mostRemembered - 1)]
    if (outcome) {
      this.#loop.handIn({ job, outcome, policy: handler.policy, children, durationMs })
    } else {
      this.#claims.freed(job)
      this.#loop.lookForWork()
      this.#departure.check()
    }
    this.#countAbandoned()
    this.#leaveIfSpent()
  }

  #countAbandoned(): void {
    const { log, isolated } = this.#options
    const { abandoned } = this.#executor
    if (abandoned < this.#claims.total || this.#toldAbandoned || this.#departure.hasBegun) return
    this.#toldAbandoned = true
    tellAbandoned(log, abandoned, isolated)
    if (isolated) this.#departure.begin('abandoned')
  }

  #settledOne(handover: Handover, result: Settled): void {
    this.#claims.freed(handover.ended.job)
    if (result === 'stale') tellStale(this.#options.log, handover)
    else this.#settled++
  }

  #giveBack(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const policy = this.#options.handlers.get(job.type)?.policy ?? fallbackPolicy
      this.#loop.handIn({ job, outcome: givenBack, policy, children: [], durationMs: 0 })
    }
  }

  #giveUpRunning(): void {
    for (const attempt of [...this.#executor.running]) this.#executor.giveUp(attempt, givenBack)
    this.#loop.retryNow()
  }

  /** An exchange whose end nobody knows may have claimed jobs. What is held and runs nowhere goes back. */
  async #giveBackUnknown(): Promise<void> {
    const { engine, workerId } = this.#options
    const held = await engine.store.running(workerId)
    const known = new Set(
      [...this.#executor.running, ...this.#loop.queue.map(({ ended }) => ended)].map(({ job }) =>
        attemptName(job),
      ),
    )
    for (const job of this.#starts.waiting) known.add(attemptName(job))
    const unknown = held.filter((job) => !known.has(attemptName(job)))
    for (const job of unknown) this.#claims.found(job)
    this.#giveBack(unknown)
  }

  /** True when there is nothing to look for, or something was found. */
  async #lookForWork(): Promise<boolean> {
    this.#heldCheck.soon()
    if (!this.#accepts) return true
    const found = this.#loop.isHungry || (await this.#claims.look(this.#options.engine.store))
    if (found) this.#loop.lookForWork()
    return found
  }

  #changed(): void {
    this.#heldCheck.soon()
    this.#look.news()
  }

  /** What this process commits wakes no watch of its own. */
  #heardOf({ settlement }: EngineEventMap['settled']): void {
    const { next, children } = settlement
    if (next.state === 'available' || children.length > 0) this.#look.news()
    else if (next.state === 'waiting') this.#look.expect(next.runAt)
  }

  #gone(attempt: Attempt, kind: AbortKind): void {
    tellGone(this.#options.log, attempt.job, kind)
    attempt.abort(kind)
  }

  #close(complete: boolean): void {
    if (!complete) tellUnstored(this.#options.log, this.#loop.queue.length)
    for (const end of this.#endings) end()
    this.#heldCheck.stop()
    this.#breakers.close()
    this.#localBreakers.close()
    this.#loop.close()
    this.#executor.close()
    this.#jobLog.stop()
    void this.#look.stop()
  }
}

function attemptName({ key, attempt }: Job): string {
  return `${key}/${attempt}`
}
