/**
 * Reports this worker's process-local breakers to the store, so that `wf breakers list` can show them: once at its start, and
 * after each change, at most once a second. Nothing waits for a report and nothing is decided by it.
 */
import type { Cancel, Clock } from '../../clock.ts'
import type { LocalBreaker } from '../../domain/breaker-row.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { ErrorThrottle } from '../error-throttle.ts'

export interface LocalBreakersOptions {
  engine: Pick<Engine, 'workers' | 'now'>
  clock: Clock
  log: Logger
  workerId: string
  handlers: ReadonlyMap<string, LoadedHandler>
  dependencies: Pick<Dependencies, 'breakers'>
}

const minGapMs = 1_000

export class LocalBreakers {
  readonly #options: LocalBreakersOptions
  readonly #errors: ErrorThrottle
  #state: 'new' | 'idle' | 'reporting' | 'resting' | 'closed' = 'new'
  #isStale = false
  #cancel: Cancel = () => {}

  constructor(options: LocalBreakersOptions) {
    this.#options = options
    this.#errors = new ErrorThrottle(options.clock, options.log, 'reporting process-local breakers')
  }

  /** Call once the worker has a row. */
  start(): void {
    if (this.#state !== 'new' || this.#own().length === 0) return
    void this.#report()
  }

  /** Call when a breaker may have changed. */
  changed(): void {
    if (this.#state === 'idle') void this.#report()
    else this.#isStale = true
  }

  close(): void {
    this.#state = 'closed'
    this.#cancel()
  }

  async #report(): Promise<void> {
    const { engine, workerId, clock } = this.#options
    this.#state = 'reporting'
    this.#isStale = false
    try {
      await engine.workers.reportBreakers(workerId, this.#own())
      this.#errors.over()
    } catch (error) {
      this.#isStale = true
      if (!this.#isClosed) this.#errors.happened(error)
    }
    if (this.#isClosed) return
    this.#state = 'resting'
    this.#cancel = clock.after(minGapMs, () => this.#next(), { unref: true })
  }

  #next(): void {
    this.#state = 'idle'
    if (this.#isStale) void this.#report()
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #own(): readonly LocalBreaker[] {
    const { dependencies, handlers, engine } = this.#options
    const now = engine.now()
    return dependencies
      .breakers()
      .filter(({ shared }) => !shared)
      .map(({ name, mode, generation, ageMs, retryInMs }) => ({
        ...{ name, mode, generation },
        changedAt: Math.round(now - ageMs),
        expiresAt: mode === 'open' ? Math.round(now + retryInMs) : null,
        types: [...handlers.values()]
          .filter((handler) => handler.dependencies.get(name)?.breaker)
          .map(({ type }) => type),
      }))
  }
}
