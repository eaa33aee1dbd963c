/**
 * Finds running attempts that this worker no longer owns, and aborts them: an operator cancelled the job, or another worker took
 * it over after the lease was lost. It asks the store itself, after the attempt was claimed, so an old renewal can't abort a
 * new attempt. At most one query every 200 ms.
 */
import type { Reader } from '../../engine/engine.ts'
import type { Cancel, Clock } from '../../clock.ts'
import type { Fence } from '../../domain/job.ts'
import type { Logger } from '../../logger.ts'
import { logGone } from '../worker-messages.ts'
import type { Running } from './running-attempts.ts'

export interface LeaseCheckOptions {
  store: Pick<Reader, 'held' | 'job'>
  clock: Clock
  log: Logger
  workerId: string
  running: Running
}

const minGapMs = 200

export class LeaseCheck {
  readonly #options: LeaseCheckOptions
  #checkedAt = Number.NEGATIVE_INFINITY
  #scheduled: Cancel | null = null
  #checking = false
  #again = false
  #closed = false

  constructor(options: LeaseCheckOptions) {
    this.#options = options
  }

  /** Checks soon: a change may concern a running attempt. */
  soon(): void {
    const { clock, running } = this.#options
    if (this.#closed || running.size === 0 || this.#scheduled) return
    if (this.#checking) {
      this.#again = true
      return
    }
    const waitMs = Math.max(0, this.#checkedAt + minGapMs - clock.monotonic())
    this.#scheduled = clock.after(waitMs, () => void this.#check(), { unref: true })
  }

  /** Takes the attempts that the store held for this worker some time ago; checks if one that runs is missing. */
  compare(attempts: readonly Pick<Fence, 'jobKey' | 'attempt'>[]): void {
    const held = new Set(attempts.map(nameOf))
    const running = [...this.#options.running]
    if (running.some(({ job: { key, attempt } }) => !held.has(nameOf({ jobKey: key, attempt })))) this.soon()
  }

  close(): void {
    this.#closed = true
    this.#scheduled?.()
    this.#scheduled = null
  }

  async #check(): Promise<void> {
    this.#scheduled = null
    this.#checking = true
    this.#checkedAt = this.#options.clock.monotonic()
    try {
      await this.#abortLost()
    } catch {
      // The outbox reports a store that can't be read; the next change or poll checks again.
    }
    this.#checking = false
    if (!this.#again) return
    this.#again = false
    this.soon()
  }

  async #abortLost(): Promise<void> {
    const { store, log, workerId, running } = this.#options
    const asked = [...running]
    const held = new Set((await store.held(workerId)).map(nameOf))
    for (const attempt of asked) {
      const { key, attempt: number } = attempt.job
      if (attempt.over || attempt.disowned || held.has(nameOf({ jobKey: key, attempt: number }))) continue
      const detail = await store.job(key)
      if (attempt.over) continue
      const kind = detail?.job.state === 'cancelled' ? 'cancelled' : 'lease_lost'
      logGone(log, attempt.job, kind)
      attempt.abort(kind)
    }
  }
}

function nameOf({ jobKey, attempt }: Pick<Fence, 'jobKey' | 'attempt'>): string {
  return `${jobKey}/${attempt}`
}
