/**
 * Children that answer late: a handler blocks the event loop of its process, and with it whatever runs beside it. Their
 * leases are safe, so nothing is ended here: it is counted, and told with the jobs that it may be.
 */
import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import { namesOf } from '../leases/settle-lost.ts'
import type { SupervisedChild } from './supervisor-child.ts'

export interface SilencesOptions {
  engine: Engine
  clock: Clock
  log: Logger
  /** What metrics call the worker; the child's own name unless told. */
  countedAs: string | undefined
  /** Of silence, before a word is said. */
  tellMs: number
}

/** Between two words about one post: a handler that always blocks fills no log. */
const quietMs = 60_000

export class Silences {
  readonly #options: SilencesOptions
  /** How much of each child's silence has been counted. */
  readonly #counted = new WeakMap<SupervisedChild, number>()
  /** Children that were told of and have not answered since. */
  readonly #told = new WeakSet<SupervisedChild>()
  /** By post; monotonic. */
  readonly #toldAt = new Map<string, number>()

  constructor(options: SilencesOptions) {
    this.#options = options
  }

  /** To be called every tick. */
  async heed(child: SupervisedChild): Promise<void> {
    const { silentMs } = child.pulse
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
    const jobs = await engine.store.running(child.id)
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
