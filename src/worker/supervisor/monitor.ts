/** The periodic checks of a supervisor: processes that hang, suspects that are due, an empty store. */
import type { Clock } from '../../clock.ts'
import type { Engine, Reader } from '../../engine/engine.ts'
import { isStoreGone } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { drainTimes } from '../drain.ts'
import type { ChildSetup } from '../ipc.ts'
import { namesOf } from '../leases/settle-lost.ts'
import type { ProcessPool } from './process-pool.ts'
import type { SupervisedChild } from './supervised-child.ts'

export interface MonitorOptions {
  engine: Engine
  clock: Clock
  log: Logger
  pool: ProcessPool
  setup: Pick<ChildSetup, 'countedAs'>
  hangMs: number
  graceMs: number
  isEmpty: ((types: readonly string[]) => Promise<boolean>) | null
  onQuarantine(): void
  onEmpty(): void
}

const emptyEveryMs = 200
const restsPerWork = 20
/** Silence after which an unresponsive process is logged, or half of `hangMs` if that is shorter. */
const tellMs = 3000

export class Monitor {
  readonly #options: MonitorOptions
  readonly #quarantine: Quarantine
  readonly #unresponsive: UnresponsiveProcesses

  constructor(options: MonitorOptions) {
    this.#options = options
    this.#quarantine = new Quarantine(options.engine.reader)
    const { setup, hangMs } = options
    this.#unresponsive = new UnresponsiveProcesses({
      ...options,
      countedAs: setup.countedAs,
      tellMs: Math.min(tellMs, hangMs / 2),
    })
  }

  /** Runs until `ended` aborts. */
  run(ended: AbortSignal): void {
    const tickMs = Math.min(1000, this.#options.hangMs / 4)
    let lookedAt = this.#options.clock.monotonic()
    const heartbeat = async () => {
      const now = this.#options.clock.monotonic()
      const passedMs = now - lookedAt
      lookedAt = now
      for (const child of this.#options.pool.children) await this.#ping(child, passedMs, tickMs)
    }
    void this.#repeat('looking after the processes', { everyMs: tickMs, ended, round: heartbeat })
    void this.#repeat('looking for suspects', { everyMs: tickMs, ended, round: () => this.#checkSuspects() })
    if (this.#options.isEmpty)
      void this.#repeat('looking for jobs that are left', {
        everyMs: emptyEveryMs,
        ended,
        round: () => this.#isDone(),
      })
  }

  async #repeat(
    what: string,
    { everyMs, ended, round }: { everyMs: number; ended: AbortSignal; round: () => Promise<void> },
  ): Promise<void> {
    const { clock, log } = this.#options
    let failing = false
    while (!ended.aborted) {
      const begunAt = clock.monotonic()
      try {
        await round()
        failing = false
      } catch (error) {
        if (!failing && !ended.aborted && !isStoreGone(error))
          log.warn(`${what} failed; trying again: ${error instanceof Error ? error.message : String(error)}`)
        failing = true
      }
      // A check that takes long is made less often.
      await clock.sleep(Math.max(everyMs, restsPerWork * (clock.monotonic() - begunAt)), ended)
    }
  }

  async #ping(child: SupervisedChild, passedMs: number, tickMs: number): Promise<void> {
    if (child.phase !== 'working') return
    const ping = child.heartbeat.tick(passedMs, tickMs)
    if (ping !== null) child.process.send({ kind: 'ping', id: ping })
    else if (child.heartbeat.silentMs >= this.#options.hangMs && (await this.#isOverdue(child)))
      child.kill('hung')
    await this.#unresponsive.check(child)
  }

  /** Whether all its jobs have outlived their timeouts. */
  async #isOverdue(child: SupervisedChild): Promise<boolean> {
    const { engine, pool, hangMs } = this.#options
    const jobs = await engine.reader.running(child.id)
    const now = engine.now()
    return jobs.every(
      (job) => now - (job.startedAt ?? now) >= (pool.declarations.get(job.type)?.timeoutMs ?? 0) + hangMs,
    )
  }

  async #checkSuspects(): Promise<void> {
    const { pool, clock, onQuarantine } = this.#options
    const child = [...pool.children].find(({ suspects }) => suspects) ?? null
    const types = [...pool.declarations.keys()]
    const verdict = await this.#quarantine.look({
      types,
      workerId: child?.id ?? null,
      now: clock.monotonic(),
    })
    if (verdict === 'start') onQuarantine()
    else if (verdict === 'end' && child?.phase === 'working') this.#drain(child)
  }

  #drain(child: SupervisedChild): void {
    const { graceMs, abortInMs } = drainTimes(this.#options.graceMs)
    child.drain(graceMs, abortInMs)
  }

  async #isDone(): Promise<void> {
    const types = [...this.#options.pool.declarations.keys()]
    if (await this.#options.isEmpty?.(types)) this.#options.onEmpty()
  }
}

/** A suspect waits a second after its second loss; the process stays for the next one. */
const lingerMs = 3000

export interface QuarantineView {
  /** Types that the children handle. */
  types: readonly string[]
  /** Id of the living quarantine child; null when there is none. */
  workerId: string | null
  /** Monotonic ms. */
  now: number
}

/**
 * Decides when a quarantine process must run. A suspect (lost twice in a row) is claimed only there, alone, so a job that kills its
 * process takes no neighbour with it. The process lives only while suspects are due.
 */
export class Quarantine {
  readonly #store: Pick<Reader, 'hasDue' | 'held' | 'now'>
  #neededAt = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Reader, 'hasDue' | 'held' | 'now'>) {
    this.#store = store
  }

  /** Returns what to do with the quarantine process now. */
  async look({ types, workerId, now }: QuarantineView): Promise<'start' | 'end' | 'leave'> {
    if (types.length === 0) return 'leave'
    const due = await this.#store.hasDue(types, true, this.#store.now())
    const busy = workerId !== null && (await this.#store.held(workerId)).length > 0
    if (due || busy) this.#neededAt = now
    if (due && workerId === null) return 'start'
    return workerId !== null && now - this.#neededAt > lingerMs ? 'end' : 'leave'
  }
}

export interface UnresponsiveOptions {
  engine: Engine
  clock: Clock
  log: Logger
  /** Name of the worker in metrics (default: the process's own name). */
  countedAs: string | undefined
  /** Silence before it is logged. */
  tellMs: number
}

/** Least time between two log lines about one post. */
const quietMs = 60_000

/**
 * Counts and logs processes that answer late because a handler blocks their event loop. Their leases are safe, so nothing is ended.
 */
export class UnresponsiveProcesses {
  readonly #options: UnresponsiveOptions
  /** How much of each process's silence has been counted. */
  readonly #counted = new WeakMap<SupervisedChild, number>()
  /** Processes that were logged and have not answered since. */
  readonly #told = new WeakSet<SupervisedChild>()
  /** By post; monotonic. */
  readonly #toldAt = new Map<string, number>()

  constructor(options: UnresponsiveOptions) {
    this.#options = options
  }

  /** Call every tick. */
  async check(child: SupervisedChild): Promise<void> {
    const { silentMs } = child.heartbeat
    const before = this.#counted.get(child) ?? 0
    if (silentMs === before) return
    this.#counted.set(child, silentMs)
    if (silentMs < before) return this.#answers(child, before)
    this.#count(child, silentMs - before)
    if (silentMs >= this.#options.tellMs && !this.#told.has(child)) await this.#tell(child, silentMs)
  }

  #count(child: SupervisedChild, ms: number): void {
    const { engine, countedAs = child.id.replace(/#.*$/s, '') } = this.#options
    engine.events.emit('counted', {
      metric: 'wf_worker_unresponsive_seconds_total',
      labels: { worker: countedAs },
      value: ms / 1000,
    })
  }

  async #tell(child: SupervisedChild, silentMs: number): Promise<void> {
    const { engine, clock, log } = this.#options
    const now = clock.monotonic()
    if (now - (this.#toldAt.get(child.post) ?? Number.NEGATIVE_INFINITY) < quietMs) return
    this.#toldAt.set(child.post, now)
    this.#told.add(child)
    const jobs = await engine.reader.running(child.id)
    const what = `process ${child.post} (pid ${child.process.pid}) has not answered for ${seconds(silentMs)}`
    if (jobs.length === 0) log.warn(`${what}; it runs no job`)
    else
      log.warn(`${what}: a handler blocks its event loop; it runs ${namesOf(jobs)}`, {
        jobs: jobs.map(({ key }) => key).slice(0, 10),
      })
  }

  #answers(child: SupervisedChild, afterMs: number): void {
    if (this.#told.delete(child))
      this.#options.log.info(
        `process ${child.post} (pid ${child.process.pid}) answers again after ${seconds(afterMs)}`,
      )
  }
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
