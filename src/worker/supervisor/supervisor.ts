/**
 * The supervisor of `wf run-worker`: forks worker processes, renews their leases, replaces those that die or hang, isolates suspects,
 * and shuts down in bounded time. It loads no handler and runs no job, so handlers can't harm it.
 */
import type { Cancel } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { drainTimes, stopTimes } from '../drain.ts'
import { createLeaseManager, type LeaseManager, type LeaseManagerOptions } from '../leases/lease-manager.ts'
import { createPauseWatch } from '../leases/store-watch.ts'
import { deathMessage, drainMessage, returnedMessage, startMessage } from './supervisor-messages.ts'
import {
  gaveUp,
  ProcessPool,
  restartDelay,
  Restarts,
  type Post,
  type ProcessPoolOptions,
} from './process-pool.ts'
import type { SupervisedChild } from './supervised-child.ts'
import { Monitor } from './monitor.ts'
import { workDone, type OutcomeCounts } from '../outcome-counts.ts'

export interface SupervisorOptions
  extends Omit<ProcessPoolOptions, 'leases' | 'policies' | 'onOutcomes'>,
    Omit<LeaseManagerOptions, 'engine' | 'clock' | 'log' | 'policies' | 'onDrain' | 'onLost'> {
  processes: number
  graceMs: number
  /** A process that outlives every running timeout by this without answering is killed (default: 10 s). */
  hangMs: number
  /** Location of the store, for the first log line. */
  place: string
  /** If given, the run ends when it resolves with true for the types that the processes handle. */
  isEmpty: ((types: readonly string[]) => Promise<boolean>) | null
  /** A process that can't load its handlers leaves its post empty until `reload`, instead of counting as a death. */
  patient: boolean
}

export interface SupervisorEnd {
  why: 'drained' | 'stopped' | 'empty' | 'max_jobs'
  counts: OutcomeCounts
  /** False if the store did not take back all unfinished jobs in time; their leases expire. */
  allReturned: boolean
}

const leasesStopMs = 300

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #leases: LeaseManager
  readonly #pool: ProcessPool
  readonly #restarts: Restarts
  readonly #monitor: Monitor
  readonly #over = new AbortController()
  #bounds: Cancel[] = []
  #phase: 'loading' | 'working' | 'draining' | 'stopping' | 'over' = 'loading'
  #why: SupervisorEnd['why'] = 'drained'
  #failure: WfError | null = null
  #finish: () => void = () => {}
  readonly #finished = new Promise<void>((resolve) => {
    this.#finish = resolve
  })
  /** Replacements that wait for their backoff. */
  #waiting = 0

  constructor(options: SupervisorOptions) {
    const policies: ProcessPoolOptions['policies'] = new Map()
    this.#options = options
    this.#restarts = new Restarts(options.clock)
    const { engine, clock, log, upkeep } = options
    const pauses = createPauseWatch({
      store: engine.reader,
      clock,
      log,
      types: () => [...this.#pool.declarations.keys()],
    })
    const onDrain = () => this.#drainRequested()
    this.#leases = createLeaseManager({
      ...options,
      policies,
      upkeep: [...upkeep, pauses],
      onDrain,
      onLost: (error) => this.#lost(error),
    })
    this.#pool = new ProcessPool({
      ...options,
      leases: this.#leases,
      policies,
      onOutcomes: () => this.#restarts.worked(workDone(this.#pool.counts)),
    })
    this.#monitor = new Monitor({
      ...options,
      pool: this.#pool,
      onQuarantine: () => this.#start({ name: 'quarantine', suspects: true }),
      onEmpty: () => this.#end('empty', this.#options.graceMs),
    })
  }

  /** Rejects when the handlers can't be loaded, or when processes only die. */
  async run(): Promise<SupervisorEnd> {
    this.#leases.start()
    // The end may come while a row still waits for the store.
    await Promise.race([this.#first(), this.#finished])
    if (this.#phase === 'working') this.#monitor.run(this.#over.signal)
    await this.#finished
    this.#over.abort()
    const allReturned = this.#pool.isEmpty
    this.#pool.abandon()
    // A renewal may hang in a locked store.
    await Promise.race([this.#leases.stop(), this.#options.clock.sleep(leasesStopMs)])
    if (this.#failure) throw this.#failure
    return { why: this.#why, counts: this.#pool.counts, allReturned }
  }

  /** Starts the shutdown: running handlers may finish until the grace period ends. Idempotent. */
  drain(): void {
    const { graceMs, log } = this.#options
    if (this.#phase === 'draining' || this.#phase === 'stopping' || this.#phase === 'over') return
    log.info(
      `stopping: nothing new starts, running handlers have ${graceMs / 1000} s; Ctrl-C again stops at once`,
    )
    this.#end('drained', graceMs)
  }

  /** After `wf workers drain`. */
  #drainRequested(): void {
    const { graceMs, log } = this.#options
    log.info(drainMessage(graceMs))
    this.#end('drained', graceMs)
  }

  /** Gives everything back and ends within a second. */
  stopNow(): void {
    if (this.#phase === 'stopping' || this.#phase === 'over') return
    this.#options.log.info('stopping at once')
    this.#phase = 'stopping'
    this.#why = 'stopped'
    for (const child of this.#pool.children) child.stop()
    this.#bound(stopTimes)
  }

  /** Replaces every process by one that loads the handlers again; running handlers may finish. */
  reload(): void {
    if (this.#phase !== 'working') return
    const { abortInMs, graceMs } = drainTimes(this.#options.graceMs)
    const posts = new Set(this.#posts().map(({ name }) => name))
    for (const child of this.#pool.children) {
      posts.delete(child.post)
      child.drain(graceMs, abortInMs)
    }
    for (const post of this.#posts()) if (posts.has(post.name)) this.#start(post)
  }

  #posts(): Post[] {
    const { processes } = this.#options
    return Array.from({ length: processes }, (_, index) => ({ name: `${index + 1}`, suspects: false }))
  }

  /** Starts the first processes, all or none. */
  async #first(): Promise<void> {
    const { log, processes, place, setup } = this.#options
    const posts = this.#posts()
    let children: SupervisedChild[] = []
    try {
      children = await Promise.all(posts.map((post) => this.#enlisted(post)))
    } catch (error) {
      if (this.#phase === 'loading')
        this.#fail(error instanceof WfError ? error : new WfError('unexpected', String(error)))
    }
    if (this.#phase !== 'loading') return
    this.#phase = 'working'
    log.info(
      startMessage([...this.#pool.declarations.values()], {
        processes,
        place,
        concurrency: setup.concurrency,
      }),
    )
    for (const [index, child] of children.entries()) {
      const post = posts[index]
      // It may have died while the others were loading.
      if (child.phase !== 'gone') child.go()
      else if (post) this.#replace(child, post)
    }
  }

  /** Starts the first process at a post, again if something else killed it while it loaded. */
  async #enlisted(post: Post): Promise<SupervisedChild> {
    for (;;) {
      const child = this.#spawn(post)
      try {
        await this.#pool.enlist(child)
        return child
      } catch (error) {
        if (this.#phase !== 'loading' || !child.wasKilledByOthers) throw error
        const delayMs = this.#restarts.died()
        if (delayMs === null) throw gaveUp()
        if (delayMs > 0) await this.#options.clock.sleep(delayMs, this.#over.signal)
        if (this.#phase !== 'loading') throw error
      }
    }
  }

  #spawn(post: Post): SupervisedChild {
    const child = this.#pool.spawn(post)
    void child.exited.then((exit) => this.#gone(child, post, exit))
    return child
  }

  #start(post: Post): void {
    if (this.#phase !== 'working') return
    const child = this.#spawn(post)
    this.#pool.enlist(child).then(
      (there) => there && this.#phase === 'working' && child.go(),
      (error: Error) =>
        this.#phase === 'working' &&
        this.#options.log.error(`process ${post.name} cannot load the handlers: ${error.message}`),
    )
  }

  async #gone(child: SupervisedChild, post: Post, exit: Awaited<SupervisedChild['exited']>): Promise<void> {
    const { log } = this.#options
    if (this.#phase === 'working') this.#replace(child, post)
    const jobs = await this.#pool.settleGone(child, exit)
    // Settled as a timeout: that counts as work done.
    if (child.killed === 'hung' && jobs.length === 1) this.#restarts.worked()
    const returned = child.killed === 'overdue' || child.leaving !== null
    if (jobs.length > 0 && returned) log.warn(returnedMessage(child, jobs))
    else if (!returned && (this.#phase !== 'loading' || child.wasKilledByOthers))
      log.warn(deathMessage(child, exit, jobs))
    this.#checkEmpty()
  }

  #replace(child: SupervisedChild, post: Post): void {
    if (child.leaving === 'max_jobs') this.#afterLastJob()
    const delayMs = restartDelay(child, this.#restarts, this.#options.patient)
    if (delayMs === 'give up') this.#fail(gaveUp())
    else if (delayMs === 0) this.#start(post)
    else if (delayMs !== 'never') {
      this.#waiting++
      const start = () => {
        this.#waiting--
        this.#start(post)
      }
      this.#options.clock.after(delayMs, start, { unref: true })
    }
  }

  #afterLastJob(): void {
    const others = [...this.#pool.children].some((child) => !child.suspects && child.leaving !== 'max_jobs')
    if (!others && this.#waiting === 0) this.#end('max_jobs', this.#options.graceMs)
  }

  /** The store is gone: nothing can be given back. */
  #lost(error: WfError): void {
    if (this.#phase === 'over') return
    this.#failure ??= error
    this.#phase = 'stopping'
    for (const child of this.#pool.children) child.stop()
    this.#bound(stopTimes)
    this.#checkEmpty()
  }

  #fail(error: WfError): void {
    this.#failure ??= error
    this.#end('stopped', 0)
  }

  #end(why: SupervisorEnd['why'], graceMs: number): void {
    if (this.#phase === 'draining' || this.#phase === 'stopping' || this.#phase === 'over') return
    this.#phase = 'draining'
    this.#why = why
    const times = drainTimes(graceMs)
    this.#leases.draining().catch(() => {})
    for (const child of this.#pool.children) child.drain(times.graceMs, times.abortInMs)
    this.#bound(times)
    this.#checkEmpty()
  }

  /** Kills what is left after `killInMs`, and ends after `endInMs`. */
  #bound({ killInMs, endInMs }: { killInMs: number; endInMs: number }): void {
    const { clock } = this.#options
    const kill = () => {
      for (const child of this.#pool.children) child.kill('overdue')
    }
    this.#bounds.push(
      clock.after(killInMs, kill),
      clock.after(endInMs, () => this.#close()),
    )
  }

  #checkEmpty(): void {
    if (this.#pool.isEmpty && (this.#phase === 'draining' || this.#phase === 'stopping')) this.#close()
  }

  #close(): void {
    this.#phase = 'over'
    for (const cancel of this.#bounds.splice(0)) cancel()
    this.#finish()
  }
}
