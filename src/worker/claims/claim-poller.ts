/**
 * When a worker with free slots looks for due jobs: when others changed the store, when something falls due, and every
 * second whatever it was told. A look is a read. After an empty one it rests 5 ms, doubling to 50, so that a busy
 * neighbour does not cost an idle worker its idleness; where little happens it looks at once. It claims nothing.
 */
import type { Cancel, Clock } from '../../clock.ts'
import { createDueDateScheduler, type DueDateScheduler } from '../../engine/scheduler.ts'
import type { Trouble } from '../error-throttle.ts'

export interface IdleLookOptions {
  clock: Clock
  /** The store's clock. */
  now: () => number
  /** Looks, and does what is to be done about what it finds. False: nothing was due. */
  look: () => Promise<boolean>
  nextDue: () => Promise<number | null>
  trouble: Trouble
}

const rest = { firstMs: 5, longestMs: 50 }
/** Without news for so long the next one is looked at at once again. */
const quietMs = 250

export class IdleLook {
  readonly #clock: Clock
  readonly #look: () => Promise<boolean>
  readonly #trouble: Trouble
  readonly #scheduler: DueDateScheduler
  /** Monotonic ms before which no news makes it look. */
  #restUntil = Number.NEGATIVE_INFINITY
  #restMs = 0
  #byNews = false
  #cancel: Cancel | null = null
  #stopped = false

  constructor({ clock, now, look, nextDue, trouble }: IdleLookOptions) {
    this.#clock = clock
    this.#look = look
    this.#trouble = trouble
    // A look under way when the worker leaves may find the store closed.
    const onError = (error: unknown) => {
      if (!this.#stopped) trouble.happened(error)
    }
    this.#scheduler = createDueDateScheduler({ clock, now, nextDue, onError, look: () => this.#lookOnce() })
  }

  start(): void {
    this.#scheduler.start()
  }

  /** Somebody changed the store. */
  news(): void {
    if (this.#cancel || this.#stopped) return
    const now = this.#clock.monotonic()
    if (now - this.#restUntil > quietMs) this.#restMs = 0
    if (now >= this.#restUntil) this.#lookAtNews()
    else this.#cancel = this.#clock.after(this.#restUntil - now, () => this.#lookAtNews(), { unref: true })
  }

  /** Something falls due at `at`, epoch ms. */
  expect(at: number): void {
    this.#scheduler.expect(at)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    this.#cancel = null
    await this.#scheduler.stop()
  }

  #lookAtNews(): void {
    this.#cancel = null
    this.#byNews = true
    this.#scheduler.wake()
  }

  async #lookOnce(): Promise<void> {
    const byNews = this.#byNews
    this.#byNews = false
    const found = await this.#look()
    this.#trouble.over()
    if (found) this.#restMs = 0
    else if (byNews) {
      this.#restMs = Math.min(rest.longestMs, Math.max(rest.firstMs, this.#restMs * 2))
      this.#restUntil = this.#clock.monotonic() + this.#restMs
    }
  }
}
