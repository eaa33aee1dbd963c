/** Wires the rooms of a worker in a ring: intake claims and starts jobs, runner runs them, outbox settles their outcomes. */
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../logger.ts'
import type { Random } from '../random.ts'
import type { LoadedHandler } from './handler/loaded-handler.ts'
import type { SharedBreakers } from '../engine/breakers.ts'
import { LocalBreakers } from './breakers/local-breakers.ts'
import { ErrorThrottle } from './error-throttle.ts'
import { ClaimPoller } from './intake/claim-poller.ts'
import { Intake } from './intake/intake.ts'
import { createJobLog, type JobLog } from './job-log.ts'
import { Outbox } from './outbox/outbox.ts'
import { createAttemptServices } from './runner/attempt-services.ts'
import { LeaseCheck } from './runner/lease-check.ts'
import { PanicReport } from './runner/panic-report.ts'
import { Runner, type AttemptEnd } from './runner/runner.ts'
import { Shutdown } from './shutdown.ts'
import { logAbandoned, logUnstored } from './worker-messages.ts'

export interface WorkerOptions {
  engine: Engine
  clock: Clock
  random: Random
  log: Logger
  handlers: ReadonlyMap<string, LoadedHandler>
  /** `label#incarnation`; its row must be in the store before `start`. */
  workerId: string
  /** Name of the worker in metrics (default: its id without the incarnation). */
  countedAs?: string
  storeId: string
  /** Jobs that may run at once over all types (default: the sum of the types' own numbers). */
  concurrency?: number
  /** Claims only suspects, one at a time. */
  suspects?: boolean
  /** Shuts down after this many jobs. */
  maxJobs?: number
  /** Whether the worker has a process of its own, which may be replaced. Otherwise suspects run here, alone. */
  isolated: boolean
}

export class Coordinator {
  readonly intake: Intake
  readonly runner: Runner
  readonly outbox: Outbox
  readonly shutdown: Shutdown
  readonly leaseCheck: LeaseCheck
  readonly panics: PanicReport
  readonly #options: WorkerOptions
  readonly #poller: ClaimPoller
  readonly #sharedBreakers: SharedBreakers
  readonly #localBreakers: LocalBreakers
  readonly #jobLog: JobLog
  #abandonedLogged = false

  constructor(options: WorkerOptions) {
    const { engine, clock, log, workerId } = options
    const { reader: store, events } = engine
    this.#options = options
    const breakerErrors = new ErrorThrottle(clock, log, 'sharing breakers with other workers')
    const onError = (error: unknown) => breakerErrors.happened(error)
    this.#sharedBreakers = engine.workers.sharedBreakers({ clock, who: workerId, onError })
    const services = createAttemptServices({
      ...options,
      events,
      steps: engine.workers.steps,
      sharedBreaker: (name) => this.#sharedBreakers.of(name),
      onBreaker: () => this.#localBreakers.changed(),
    })
    const { dependencies } = services
    this.#localBreakers = new LocalBreakers({ ...options, dependencies })
    this.outbox = new Outbox({
      ...options,
      errors: new ErrorThrottle(clock, log, 'taking and settling jobs'),
      onIdle: () => this.#checkEnd(),
    })
    this.runner = new Runner({
      ...options,
      services,
      sizes: engine.sizes,
      now: () => store.now(),
      progress: (progress) => events.emit('progress', progress),
      onEnd: (end) => this.#ended(end),
    })
    const { runner, outbox } = this
    const intake = new Intake({ ...options, store, dependencies, runner, outbox })
    outbox.source = intake
    const leaseCheck = new LeaseCheck({ store, clock, log, workerId, running: runner.running })
    this.intake = intake
    this.leaseCheck = leaseCheck
    this.#poller = new ClaimPoller({ store, events, clock, log, intake, leaseCheck })
    this.shutdown = new Shutdown({
      intake,
      runner,
      outbox,
      clock,
      onEnd: (complete) => this.#close(complete),
    })
    this.panics = new PanicReport(options)
    this.#jobLog = createJobLog({ log, clock, events, workerId })
  }

  start(): void {
    this.#jobLog.start()
    this.#poller.start()
    this.#localBreakers.start()
  }

  #ended({ attempt, outcome, durationMs }: AttemptEnd): void {
    const { job, handler, children } = attempt
    this.panics.ended(job)
    if (outcome) {
      this.outbox.add({ job, outcome, policy: handler.policy, children, durationMs })
    } else {
      this.intake.release(job)
      this.outbox.claimSoon()
    }
    this.#checkAbandoned()
    this.#checkEnd()
  }

  /** As many abandoned handlers as slots: a process of its own is replaced. */
  #checkAbandoned(): void {
    const { log, isolated } = this.#options
    const { abandoned } = this.runner
    if (abandoned < this.intake.concurrency || this.#abandonedLogged || this.shutdown.hasBegun) return
    this.#abandonedLogged = true
    logAbandoned(log, abandoned, isolated)
    if (isolated) this.shutdown.begin('abandoned')
  }

  #checkEnd(): void {
    if (this.intake.isSpent) this.shutdown.begin('max_jobs')
    this.shutdown.check()
  }

  #close(complete: boolean): void {
    if (!complete) logUnstored(this.#options.log, this.outbox.queue.length)
    const { leaseCheck, outbox, runner } = this
    for (const part of [this.#poller, leaseCheck, this.#sharedBreakers, this.#localBreakers, outbox, runner])
      part.close()
    this.#jobLog.stop()
  }
}
