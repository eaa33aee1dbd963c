/**
 * The supervisor of `wf run-worker`: forks the child workers, keeps their leases, replaces those that die or hang,
 * confines suspects, and ends everything in bounded time when it is told to. It loads no handler and runs no job, so
 * that nothing a handler does can reach it.
 */
import type { Cancel } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { drainTimes, stopTimes } from '../drain.ts'
import { createKeeper, type Keeper, type KeeperOptions } from '../leases/lease-manager.ts'
import { createPauseWatch } from '../leases/pause-watch.ts'
import { giveUp, Restarts } from './restarts.ts'
import { wordsOfDeath, wordsOfDrain, wordsOfReturn, wordsOfStart } from './supervisor-messages.ts'
import { Crew, type CrewOptions, type Post } from './process-pool.ts'
import type { SupervisedChild } from './supervisor-child.ts'
import { SupervisorRounds } from './monitor.ts'
import { workDone, type OutcomeCounts } from '../outcome-counts.ts'

export interface SupervisorOptions
  extends Omit<CrewOptions, 'keeper' | 'policies' | 'onTally'>,
    Omit<KeeperOptions, 'engine' | 'clock' | 'log' | 'policies' | 'onDrain' | 'onLost'> {
  processes: number
  graceMs: number
  /** A child that outlives every running timeout by this without answering is killed; default 10 s. */
  hangMs: number
  /** For the first line: where the jobs are. */
  place: string
  /** With it the run ends when it answers true for the types that the children handle. */
  isEmpty: ((types: readonly string[]) => Promise<boolean>) | null
  /** A child that cannot load any more keeps its post empty until `reload`, instead of counting as a death. */
  patient: boolean
}

export interface SupervisorEnd {
  why: 'drained' | 'stopped' | 'empty' | 'max_jobs'
  tally: OutcomeCounts
  /** False: the store did not take back in time what was unfinished; leases end it. */
  allReturned: boolean
}

const keeperStopMs = 300

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #keeper: Keeper
  readonly #crew: Crew
  readonly #restarts: Restarts
  readonly #rounds: SupervisorRounds
  readonly #over = new AbortController()
  #bounds: Cancel[] = []
  #phase: 'loading' | 'working' | 'draining' | 'stopping' | 'over' = 'loading'
  #why: SupervisorEnd['why'] = 'drained'
  #failure: WfError | null = null
  #finish: () => void = () => {}
  readonly #finished = new Promise<void>((resolve) => {
    this.#finish = resolve
  })
  /** Replacements that wait for their time. */
  #waiting = 0
  #worked = 0

  constructor(options: SupervisorOptions) {
    const policies: CrewOptions['policies'] = new Map()
    this.#options = options
    this.#restarts = new Restarts(options.clock)
    const { engine, clock, log, upkeep } = options
    const pauses = createPauseWatch({
      store: engine.store,
      clock,
      log,
      types: () => [...this.#crew.declarations.keys()],
    })
    const onDrain = () => this.#drainOnWord()
    this.#keeper = createKeeper({
      ...options,
      policies,
      upkeep: [...upkeep, pauses],
      onDrain,
      onLost: (error) => this.#lost(error),
    })
    this.#crew = new Crew({ ...options, keeper: this.#keeper, policies, onTally: () => this.#onTally() })
    this.#rounds = new SupervisorRounds({
      ...options,
      crew: this.#crew,
      onQuarantine: () => this.#start({ name: 'quarantine', suspects: true }),
      onEmpty: () => this.#end('empty', this.#options.graceMs),
    })
  }

  /** Rejects with the reason when the handlers cannot be loaded, or when the processes only die. */
  async run(): Promise<SupervisorEnd> {
    this.#keeper.start()
    // An end that comes while a row waits for the store is no less an end.
    await Promise.race([this.#first(), this.#finished])
    if (this.#phase === 'working') this.#rounds.run(this.#over.signal)
    await this.#finished
    this.#over.abort()
    const allReturned = this.#crew.isEmpty
    this.#crew.abandon()
    // A renewal that hangs in a locked store holds nobody up.
    await Promise.race([this.#keeper.stop(), this.#options.clock.sleep(keeperStopMs)])
    if (this.#failure) throw this.#failure
    return { why: this.#why, tally: this.#crew.tally, allReturned }
  }

  /** No new starts; what runs may finish until the grace is over. Repeating it changes nothing. */
  drain(): void {
    const { graceMs, log } = this.#options
    if (this.#phase === 'draining' || this.#phase === 'stopping' || this.#phase === 'over') return
    log.info(
      `stopping: nothing new starts, running handlers have ${graceMs / 1000} s; Ctrl-C again stops at once`,
    )
    this.#end('drained', graceMs)
  }

  /** From another terminal; the words that name Ctrl-C are not for those who read this log. */
  #drainOnWord(): void {
    const { graceMs, log } = this.#options
    log.info(wordsOfDrain(graceMs))
    this.#end('drained', graceMs)
  }

  /** Gives everything back and ends within a second. */
  stopNow(): void {
    if (this.#phase === 'stopping' || this.#phase === 'over') return
    this.#options.log.info('stopping at once')
    this.#phase = 'stopping'
    this.#why = 'stopped'
    for (const child of this.#crew.children) child.stop()
    this.#bound(stopTimes)
  }

  /** Replaces every child by one that loads the handlers anew; what runs may finish. */
  reload(): void {
    if (this.#phase !== 'working') return
    const { abortInMs, graceMs } = drainTimes(this.#options.graceMs)
    const posts = new Set(this.#posts().map(({ name }) => name))
    for (const child of this.#crew.children) {
      posts.delete(child.post)
      child.drain(graceMs, abortInMs)
    }
    for (const post of this.#posts()) if (posts.has(post.name)) this.#start(post)
  }

  #posts(): Post[] {
    return Array.from({ length: this.#options.processes }, (_, index) => ({
      name: `${index + 1}`,
      suspects: false,
    }))
  }

  /** All or none: a module that cannot be loaded in one process serves no job in another. */
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
      wordsOfStart([...this.#crew.declarations.values()], {
        processes,
        place,
        concurrency: setup.concurrency,
      }),
    )
    for (const [index, child] of children.entries()) {
      const post = posts[index]
      // One that died while the others were loading has not been replaced yet.
      if (child.phase !== 'gone') child.go()
      else if (post) this.#replace(child, post)
    }
  }

  /** The first child at a post. One that something else killed says nothing about the modules: another takes its place. */
  async #enlisted(post: Post): Promise<SupervisedChild> {
    for (;;) {
      const child = this.#spawn(post)
      try {
        await this.#crew.enlist(child)
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
    const child = this.#crew.spawn(post)
    void child.exited.then((exit) => this.#gone(child, post, exit))
    return child
  }

  #start(post: Post): void {
    if (this.#phase !== 'working') return
    const child = this.#spawn(post)
    this.#crew.enlist(child).then(
      (there) => there && this.#phase === 'working' && child.go(),
      (error: Error) =>
        this.#phase === 'working' &&
        this.#options.log.error(`process ${post.name} cannot load the handlers: ${error.message}`),
    )
  }

  async #gone(child: SupervisedChild, post: Post, exit: Awaited<SupervisedChild['exited']>): Promise<void> {
    const { log } = this.#options
    if (this.#phase === 'working') this.#replace(child, post)
    const jobs = await this.#crew.bury(child, exit)
    // A timeout, settled as one: jobs get somewhere.
    if (child.killed === 'hung' && jobs.length === 1) this.#restarts.worked()
    const returned = child.killed === 'overdue' || child.leaving !== null
    if (jobs.length > 0 && returned) log.warn(wordsOfReturn(child, jobs))
    else if (!returned && (this.#phase !== 'loading' || child.wasKilledByOthers))
      log.warn(wordsOfDeath(child, exit, jobs))
    if (this.#crew.isEmpty) this.#nobodyLeft()
  }

  #replace(child: SupervisedChild, post: Post): void {
    if (child.leaving === 'max_jobs') this.#afterLastJob()
    const delayMs = this.#restartIn(child)
    if (delayMs === 'give up') this.#fail(gaveUp())
    else if (delayMs === 0) this.#start(post)
    else if (delayMs !== 'never') this.#startIn(delayMs, post)
  }

  #restartIn({ leaving, declared, suspects, killed }: SupervisedChild): number | 'never' | 'give up' {
    // A suspect's end brings it nearer to its incident and is no reason to give up; the next round looks whether another child is needed.
    if (suspects)
      return leaving === null && declared === null && this.#restarts.died() === null ? 'give up' : 'never'
    if (leaving === 'max_jobs') return 'never'
    // Ended by `reload`, some before they had loaded; or by itself, to be replaced.
    if (killed === 'overdue' || leaving === 'drained' || leaving === 'abandoned') return 0
    if (this.#options.patient && declared === null) return 'never'
    return this.#restarts.died() ?? 'give up'
  }

  #startIn(delayMs: number, post: Post): void {
    this.#waiting++
    const start = () => {
      this.#waiting--
      this.#start(post)
    }
    this.#options.clock.after(delayMs, start, { unref: true })
  }

  #afterLastJob(): void {
    const others = [...this.#crew.children].some((child) => !child.suspects && child.leaving !== 'max_jobs')
    if (!others && this.#waiting === 0) this.#end('max_jobs', this.#options.graceMs)
  }

  #onTally(): void {
    const worked = workDone(this.#crew.tally)
    if (worked > this.#worked) this.#restarts.worked()
    this.#worked = worked
  }

  /** Nothing can be given back to a store that is gone, so nothing is waited for. */
  #lost(error: WfError): void {
    if (this.#phase === 'over') return
    this.#failure ??= error
    this.#phase = 'stopping'
    for (const child of this.#crew.children) child.stop()
    this.#bound(stopTimes)
    if (this.#crew.isEmpty) this.#nobodyLeft()
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
    this.#keeper.draining().catch(() => {})
    for (const child of this.#crew.children) child.drain(times.graceMs, times.abortInMs)
    this.#bound(times)
    if (this.#crew.isEmpty) this.#nobodyLeft()
  }

  /** Ends by itself when everybody has gone, else by force. */
  #bound({ killInMs, endInMs }: { killInMs: number; endInMs: number }): void {
    const { clock } = this.#options
    const kill = () => {
      for (const child of this.#crew.children) child.kill('overdue')
    }
    this.#bounds.push(
      clock.after(killInMs, kill),
      clock.after(endInMs, () => this.#close()),
    )
  }

  #nobodyLeft(): void {
    if (this.#phase === 'draining' || this.#phase === 'stopping') this.#close()
  }

  #close(): void {
    this.#phase = 'over'
    for (const cancel of this.#bounds.splice(0)) cancel()
    this.#finish()
  }
}

function gaveUp(): WfError {
  const { deaths, windowMs } = giveUp
  const message = `${deaths} worker processes ended within ${windowMs / 1000} s without finishing a single job`
  return new WfError('unexpected', message, {
    hint: 'the lines above say how they ended; try wf run-worker --inline with one job to see it happen',
  })
}
