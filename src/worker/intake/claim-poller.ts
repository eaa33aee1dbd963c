/**
 * Polls for due jobs while slots are free: when another process changed the store, when something falls due, and every second
 * in any case. A poll is a read. After one that found nothing it rests 5 ms, doubling to 50, so a busy neighbour doesn't keep
 * an idle worker busy; when changes are rare it polls at once.
 */
import type { Reader } from '../../engine/engine.ts'
import type { Cancel, Clock } from '../../clock.ts'
import type { EngineEventMap, EngineEvents } from '../../engine/events.ts'
import { createDueDateScheduler, type DueDateScheduler } from '../../engine/scheduler.ts'
import type { Logger } from '../../logger.ts'
import { ErrorThrottle } from '../error-throttle.ts'
import type { LeaseCheck } from '../runner/lease-check.ts'
import type { Intake } from './intake.ts'

export interface ClaimPollerOptions {
  store: Pick<Reader, 'watch' | 'now'>
  events: EngineEvents
  clock: Clock
  log: Logger
  intake: Pick<Intake, 'poll' | 'nextDue'>
  /** Checked with every poll and change: they may concern running attempts too. */
  leaseCheck: Pick<LeaseCheck, 'soon'>
}

const rest = { firstMs: 5, maxMs: 50 }
/** After this long without a change, the next one is polled for at once again. */
const quietMs = 250

export class ClaimPoller {
  readonly #options: ClaimPollerOptions
  readonly #scheduler: DueDateScheduler
  readonly #errors: ErrorThrottle
  /** Monotonic ms before which no change causes a poll. */
  #restUntil = Number.NEGATIVE_INFINITY
  #restMs = 0
  #byChange = false
  #scheduled: Cancel | null = null
  #endings: readonly (() => void)[] = []
  #closed = false

  constructor(options: ClaimPollerOptions) {
    const { clock, log, store, intake } = options
    this.#options = options
    this.#errors = new ErrorThrottle(clock, log, 'looking for jobs')
    this.#scheduler = createDueDateScheduler({
      clock,
      now: () => store.now(),
      nextDue: () => intake.nextDue(),
      look: () => this.#poll(),
      // A poll in flight when the worker ends may find the store closed.
      onError: (error) => (this.#closed ? undefined : this.#errors.happened(error)),
    })
  }

  start(): void {
    const { store, events, leaseCheck } = this.#options
    const dueSoon = () => this.#changed()
    const changed = () => {
      leaseCheck.soon()
      this.#changed()
    }
    this.#endings = [
      store.watch(changed),
      events.on('resolved', changed),
      events.on('enqueued', dueSoon),
      events.on('resumed', dueSoon),
      events.on('settled', (settled) => this.#settled(settled)),
    ]
    this.#scheduler.start()
  }

  close(): void {
    this.#closed = true
    for (const end of this.#endings) end()
    this.#scheduled?.()
    this.#scheduled = null
    void this.#scheduler.stop()
  }

  /** The watch reports no commit of this process's own connection. */
  #settled({ settlement: { next, children } }: EngineEventMap['settled']): void {
    if (next.state === 'available' || children.length > 0) this.#changed()
    else if (next.state === 'waiting') this.#scheduler.expect(next.runAt)
  }

  #changed(): void {
    if (this.#scheduled || this.#closed) return
    const { clock } = this.#options
    const now = clock.monotonic()
    if (now - this.#restUntil > quietMs) this.#restMs = 0
    if (now >= this.#restUntil) this.#wake()
    else this.#scheduled = clock.after(this.#restUntil - now, () => this.#wake(), { unref: true })
  }

  #wake(): void {
    this.#scheduled = null
    this.#byChange = true
    this.#scheduler.wake()
  }

  async #poll(): Promise<void> {
    const { clock, intake, leaseCheck } = this.#options
    const byChange = this.#byChange
    this.#byChange = false
    leaseCheck.soon()
    const found = await intake.poll()
    this.#errors.over()
    if (found) this.#restMs = 0
    else if (byChange) {
      this.#restMs = Math.min(rest.maxMs, Math.max(rest.firstMs, this.#restMs * 2))
      this.#restUntil = clock.monotonic() + this.#restMs
    }
  }
}
