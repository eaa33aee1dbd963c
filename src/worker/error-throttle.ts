/** Words about a store that fails, few of them: each cause once a minute, ten lines a minute at most, and one when it is over. */
import type { Clock } from '../clock.ts'
import { isStoreGone } from '../errors.ts'
import { errorRecord } from '../domain/error-record.ts'
import type { Logger } from '../logger.ts'

const minuteMs = 60_000
const mostLines = 10

export class ErrorThrottle {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #what: string
  #failures = 0
  #since = 0
  #spoken = false
  /** When each cause was last told; monotonic. */
  #told = new Map<string, number>()

  /** `what` failed: `taking and settling jobs`. */
  constructor(clock: Clock, log: Logger, what: string) {
    this.#clock = clock
    this.#log = log
    this.#what = what
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures
  }

  happened(error: unknown): void {
    // Who keeps the worker's lease tells of it.
    if (isStoreGone(error)) return
    const now = this.#clock.monotonic()
    if (this.#failures++ === 0) this.#since = now
    const record = errorRecord(error)
    const cause = record.code ? `${record.message} (${record.code})` : record.message
    this.#told = new Map([...this.#told].filter(([, at]) => now - at < minuteMs))
    if (this.#told.has(cause) || this.#told.size >= mostLines) return
    this.#told.set(cause, now)
    this.#spoken = true
    this.#log.warn(`${this.#what} failed, trying again: ${cause}`, {
      error: record.name,
      failures: this.#failures,
    })
  }

  over(): void {
    if (this.#failures === 0) return
    const seconds = Math.round((this.#clock.monotonic() - this.#since) / 1_000)
    const failures = `${this.#failures} ${this.#failures === 1 ? 'failure' : 'failures'}`
    if (this.#spoken) this.#log.info(`${this.#what} works again, after ${failures} in ${seconds} s`)
    this.#failures = 0
    this.#spoken = false
  }
}
