/**
 * Settles the outcomes of attempts. It keeps each outcome until the store has it, and sends one exchange at a time: what has
 * ended, together with the intake's next claim. A call that fails or doesn't answer is logged and repeated; settlements are
 * fenced by their attempt, so repeating one is harmless.
 */
import type { Cancel, Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { ClaimedJob, Job } from '../../domain/job.ts'
import type { Outcome } from '../../domain/outcome.ts'
import type { Ended } from '../../domain/outcome.ts'
import type { Engine, Exchange } from '../../engine/engine.ts'
import { fallbackPolicy } from '../../engine/fallback-policy.ts'
import type { Logger } from '../../logger.ts'
import type { Random } from '../../random.ts'
import type { ClaimRequest, Settled } from '../../store/port.ts'
import type { ErrorThrottle } from '../error-throttle.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { logStale } from '../worker-messages.ts'
import { CallTimeout } from './call-timeout.ts'

/** An outcome that is not known to be stored. */
export interface PendingOutcome {
  readonly ended: Ended
  /** How often it was sent. Above 1, an earlier call that failed may have stored it. */
  times: number
}

/** The intake, as the outbox sees it. */
export interface ClaimSource {
  /** Returns what to claim while attempts of the types `leaving` are settled; null for nothing. */
  next(leaving: readonly string[]): ClaimRequest | null
  /** Takes the answer to a claim, also when it is empty. */
  claimed(jobs: readonly ClaimedJob[], claim: ClaimRequest): void
  /** Frees the slot of a job whose outcome is stored. */
  release(job: Job): void
  /** Gives back jobs that an exchange claimed whose answer never came. Called between two exchanges. */
  reconcile(): Promise<void>
}

export interface OutboxOptions {
  engine: Pick<Engine, 'exchange'>
  clock: Clock
  random: Random
  handlers: ReadonlyMap<string, LoadedHandler>
  log: Logger
  errors: ErrorThrottle
  /** Called when nothing is queued and no call is in flight. */
  onIdle(): void
}

/** Most outcomes and most claimed jobs in one exchange, so that signals and timers get their turn. */
export const exchangeLimit = 64
const retry = { firstMs: 50, maxMs: 5_000 }
export const interrupted: Outcome = { kind: 'interrupted', reason: 'the worker shut down' }

interface Batch {
  outcomes: readonly PendingOutcome[]
  claim: ClaimRequest | null
}

export class Outbox {
  /** Set once, when the intake exists. */
  source: ClaimSource | null = null
  /** Outcomes that the store has taken. */
  settledCount = 0
  readonly #options: OutboxOptions
  readonly #timeout: CallTimeout
  #queue: PendingOutcome[] = []
  #hungry = false
  /** Jobs fell due while a claim was in flight, perhaps too late for it. */
  #claimAgain = false
  #uncertain = false
  #scheduled = false
  #inFlight = false
  #backoff: Cancel | null = null
  #failures = 0
  #batchLimit = exchangeLimit
  #closed = false

  constructor(options: OutboxOptions) {
    const { clock, errors } = options
    this.#options = options
    const onLate = () => {
      this.#uncertain = true
      this.claimSoon()
    }
    this.#timeout = new CallTimeout({ clock, onSlow: (error) => errors.happened(error), onLate })
  }

  /** Outcomes that are not known to be stored. */
  get queue(): readonly PendingOutcome[] {
    return this.#queue
  }

  /** Whether the next exchange claims; false after a claim that found less than it asked for. */
  get isHungry(): boolean {
    return this.#hungry
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && !this.#inFlight
  }

  /** Keeps the outcome until the store has it. */
  add(ended: Ended): void {
    this.#queue.push({ ended, times: 0 })
    this.#schedule()
  }

  /** Returns jobs that did not run to their end here, without spending a retry. */
  giveBack(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const policy = this.#options.handlers.get(job.type)?.policy ?? fallbackPolicy
      this.add({ job, outcome: interrupted, policy, children: [], durationMs: 0 })
    }
  }

  /** Claims with the next exchange: something may be due. */
  claimSoon(): void {
    this.#hungry = true
    this.#claimAgain = this.#inFlight
    this.#schedule()
  }

  /** Ends a backoff. */
  retryNow(): void {
    this.#backoff?.()
    this.#backoff = null
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    this.#timeout.close()
    this.#backoff?.()
    this.#backoff = null
  }

  #schedule(): void {
    if (this.#closed || this.#scheduled || this.#inFlight || this.#backoff) return
    this.#scheduled = true
    setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#scheduled = false
    if (this.#closed) return
    const batch = this.#nextBatch()
    if (batch) void this.#send(batch)
  }

  #nextBatch(): Batch | null {
    const outcomes = this.#queue.slice(0, this.#batchLimit)
    if (outcomes.length === 0) return this.#hungry ? this.#claimAlone() : null
    if (this.#failures === 0) return { outcomes, claim: this.source?.next(outcomes.map(typeOf)) ?? null }
    // After a failure, outcomes and claims take turns, so that neither blocks the other.
    return (this.#failures % 2 === 0 ? this.#claimAlone() : null) ?? { outcomes, claim: null }
  }

  #claimAlone(): Batch | null {
    const claim = this.source?.next([])
    return claim ? { outcomes: [], claim } : null
  }

  async #send(batch: Batch): Promise<void> {
    this.#inFlight = true
    const answer = await this.#answerTo(batch)
    this.#inFlight = false
    if (answer) this.#answered(batch, answer)
    this.#schedule()
    if (this.isIdle) this.#options.onIdle()
  }

  async #answerTo(batch: Batch): Promise<Exchange | null> {
    try {
      if (this.#uncertain) {
        await this.source?.reconcile()
        this.#uncertain = false
      }
      return await this.#exchange(batch)
    } catch (error) {
      this.#failed(batch, error)
      return null
    }
  }

  #exchange({ outcomes, claim }: Batch): Promise<Exchange> {
    const ended = outcomes.map((pending) => {
      pending.times++
      return pending.ended
    })
    return this.#timeout.call(() => this.#options.engine.exchange(claim ? { ended, claim } : { ended }))
  }

  #answered({ outcomes, claim }: Batch, { settled, claimed }: Exchange): void {
    this.#queue = this.#queue.slice(outcomes.length)
    this.#failures = 0
    this.#batchLimit = Math.min(exchangeLimit, this.#batchLimit * 2)
    this.#options.errors.over()
    for (const [index, pending] of outcomes.entries()) this.#settled(pending, settled[index] ?? 'stale')
    if (!claim) return
    const byType = claim.types.reduce((sum, { limit }) => sum + limit, 0)
    this.#hungry = claimed.length >= Math.min(claim.limit, byType) || this.#claimAgain
    this.#claimAgain = false
    this.source?.claimed(claimed, claim)
  }

  #settled(pending: PendingOutcome, result: Settled): void {
    this.source?.release(pending.ended.job)
    if (result === 'stale') logStale(this.#options.log, pending)
    else this.settledCount++
  }

  /** Moves what failed to the end of the queue, in ever smaller batches: one bad outcome doesn't block the others. */
  #failed({ outcomes }: Batch, error: unknown): void {
    const { clock, random, errors } = this.#options
    errors.happened(error)
    this.#uncertain = true
    this.#hungry = true
    this.#queue = [...this.#queue.slice(outcomes.length), ...this.#queue.slice(0, outcomes.length)]
    if (!isStoreError(error)) this.#batchLimit = Math.max(1, Math.floor(outcomes.length / 2))
    const backoffMs = Math.min(retry.maxMs, retry.firstMs * 2 ** this.#failures++) * (0.5 + random() / 2)
    if (this.#closed) return
    this.#backoff = clock.after(backoffMs, () => {
      this.#backoff = null
      this.#schedule()
    })
  }
}

function typeOf({ ended }: PendingOutcome): string {
  return ended.job.type
}

function isStoreError(error: unknown): boolean {
  return error instanceof WfError && error.code.startsWith('store_')
}
