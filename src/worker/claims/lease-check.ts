/**
 * Finds out which running attempts are no longer this worker's, and aborts them: cancelled by a person, or taken over
 * because the lease was lost. It asks the store itself, after the attempt was claimed, so that old news about what is
 * held never costs a young attempt its life. At most one question every 200 ms.
 */
import type { Cancel, Clock } from '../../clock.ts'
import type { Fence } from '../../domain/job.ts'
import type { Store } from '../../store/port.ts'
import type { AbortKind } from '../attempt/abort-reason.ts'
import type { Attempt } from '../attempt/attempt.ts'
import type { Running } from '../attempt/running-attempts.ts'

export interface HeldCheckOptions {
  store: Pick<Store, 'held' | 'job'>
  clock: Clock
  workerId: string
  running: Running
  onGone(attempt: Attempt, kind: AbortKind): void
}

const everyMs = 200

export class HeldCheck {
  readonly #options: HeldCheckOptions
  #askedAt = Number.NEGATIVE_INFINITY
  #cancel: Cancel | null = null
  #asking = false
  #again = false
  #stopped = false

  constructor(options: HeldCheckOptions) {
    this.#options = options
  }

  /** Something changed that may concern a running attempt. */
  soon(): void {
    const { clock, running } = this.#options
    if (this.#stopped || running.size === 0 || this.#cancel) return
    if (this.#asking) {
      this.#again = true
      return
    }
    const waitMs = Math.max(0, this.#askedAt + everyMs - clock.monotonic())
    this.#cancel = clock.after(waitMs, () => void this.#ask(), { unref: true })
  }

  /** Attempts that the store held for this worker some time ago. One that is missing is looked at. */
  compare(attempts: readonly { jobKey: number; attempt: number }[]): void {
    const held = new Set(attempts.map(nameOf))
    if (
      [...this.#options.running].some(
        ({ job }) => !held.has(nameOf({ jobKey: job.key, attempt: job.attempt })),
      )
    )
      this.soon()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#cancel = null
  }

  async #ask(): Promise<void> {
    this.#cancel = null
    this.#asking = true
    this.#askedAt = this.#options.clock.monotonic()
    try {
      await this.#look()
    } catch {
      // A store that cannot be read is told of by the exchange; the next change or poll asks again.
    }
    this.#asking = false
    if (!this.#again) return
    this.#again = false
    this.soon()
  }

  async #look(): Promise<void> {
    const { store, workerId, running, onGone } = this.#options
    const asked = [...running]
    const held = new Set((await store.held(workerId)).map(nameOf))
    for (const attempt of asked) {
      const { key, attempt: number } = attempt.job
      if (attempt.over || attempt.disowned || held.has(nameOf({ jobKey: key, attempt: number }))) continue
      const detail = await store.job(key)
      if (!attempt.over) onGone(attempt, detail?.job.state === 'cancelled' ? 'cancelled' : 'lease_lost')
    }
  }
}

function nameOf({ jobKey, attempt }: Pick<Fence, 'jobKey' | 'attempt'>): string {
  return `${jobKey}/${attempt}`
}
