/**
 * The desk between a worker and the engine: one exchange a tick, which hands in what has ended and claims what can
 * start. It never dies: whatever a call throws or does not answer is told once and tried again, and an outcome is kept
 * until the store has it. It decides neither what to claim nor what an outcome means.
 */
import type { Cancel, Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { ClaimedJob } from '../../domain/job.ts'
import type { Ended, Engine, Exchange } from '../../engine/engine.ts'
import type { Random } from '../../random.ts'
import type { ClaimRequest, Settled } from '../../store/port.ts'
import { PatientCaller } from './call-timeout.ts'
import type { Trouble } from '../error-throttle.ts'

/** An outcome on its way to the store. */
export interface Handover {
  readonly ended: Ended
  /** How often it was handed in. Above 1 nobody knows whether an earlier call that failed had stored it. */
  times: number
}

export interface ExchangeParts {
  engine: Pick<Engine, 'exchange'>
  clock: Clock
  random: Random
  trouble: Trouble
  /** What to claim while attempts of the types `leaving` are settled; null for nothing. */
  nextClaim(leaving: readonly string[]): ClaimRequest | null
  /** Also when nothing was found. */
  onClaimed(jobs: readonly ClaimedJob[], claim: ClaimRequest): void
  onSettled(handover: Handover, result: Settled): void
  /** Called alone, between two exchanges, after one whose end nobody knows: it may have claimed jobs that nobody runs. */
  clearDoubt(): Promise<void>
  /** Nothing is queued and no call is under way. */
  onQuiet(): void
}

/** A tick is bounded, so that signals and timers come to their turn. */
export const mostAtOnce = 64
const retry = { firstMs: 50, longestMs: 5_000 }

interface Hand {
  batch: readonly Handover[]
  claim: ClaimRequest | null
}

export class ExchangeLoop {
  readonly #parts: ExchangeParts
  readonly #caller: PatientCaller
  #queue: Handover[] = []
  #hungry = false
  /** News came while a claim was under way, perhaps too late for it. */
  #again = false
  #doubtful = false
  #scheduled = false
  #calling = false
  #resting: Cancel | null = null
  #failures = 0
  #batchLimit = mostAtOnce
  #closed = false

  constructor(parts: ExchangeParts) {
    const { clock, trouble } = parts
    this.#parts = parts
    const onLate = () => {
      this.#doubtful = true
      this.lookForWork()
    }
    this.#caller = new PatientCaller({ clock, onSlow: (error) => trouble.happened(error), onLate })
  }

  /** Outcomes that are not known to be stored. */
  get queue(): readonly Handover[] {
    return this.#queue
  }

  /** False since a claim found less than it asked for. */
  get isHungry(): boolean {
    return this.#hungry
  }

  get isQuiet(): boolean {
    return this.#queue.length === 0 && !this.#calling
  }

  /** Keeps the outcome until the store has it. */
  handIn(ended: Ended): void {
    this.#queue.push({ ended, times: 0 })
    this.#soon()
  }

  /** Something may be due. */
  lookForWork(): void {
    this.#hungry = true
    this.#again = this.#calling
    this.#soon()
  }

  /** Does not wait for the end of a back-off. */
  retryNow(): void {
    this.#resting?.()
    this.#resting = null
    this.#soon()
  }

  close(): void {
    this.#closed = true
    this.#caller.close()
    this.#resting?.()
    this.#resting = null
  }

  #soon(): void {
    if (this.#closed || this.#scheduled || this.#calling || this.#resting) return
    this.#scheduled = true
    setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#scheduled = false
    if (this.#closed) return
    const hand = this.#nextHand()
    if (hand) void this.#exchange(hand)
  }

  #nextHand(): Hand | null {
    const batch = this.#queue.slice(0, this.#batchLimit)
    if (batch.length === 0) return this.#hungry ? this.#claimAlone() : null
    if (this.#failures === 0) return { batch, claim: this.#parts.nextClaim(batch.map(typeOf)) }
    // After a failure outcomes and claims go alone by turns: neither may keep the other from the store.
    return (this.#failures % 2 === 0 ? this.#claimAlone() : null) ?? { batch, claim: null }
  }

  #claimAlone(): Hand | null {
    const claim = this.#parts.nextClaim([])
    return claim && { batch: [], claim }
  }

  async #exchange(hand: Hand): Promise<void> {
    this.#calling = true
    const answer = await this.#answerTo(hand)
    this.#calling = false
    if (answer) this.#answered(hand, answer)
    this.#soon()
    if (this.isQuiet) this.#parts.onQuiet()
  }

  async #answerTo(hand: Hand): Promise<Exchange | null> {
    try {
      await this.#clearDoubt()
      return await this.#call(hand)
    } catch (error) {
      this.#failed(hand, error)
      return null
    }
  }

  async #clearDoubt(): Promise<void> {
    if (!this.#doubtful) return
    await this.#parts.clearDoubt()
    this.#doubtful = false
  }

  #call({ batch, claim }: Hand): Promise<Exchange> {
    const ended = batch.map((handover) => {
      handover.times++
      return handover.ended
    })
    return this.#caller.ask(() => this.#parts.engine.exchange(claim ? { ended, claim } : { ended }))
  }

  #answered({ batch, claim }: Hand, { settled, claimed }: Exchange): void {
    this.#queue = this.#queue.slice(batch.length)
    this.#failures = 0
    this.#batchLimit = Math.min(mostAtOnce, this.#batchLimit * 2)
    this.#parts.trouble.over()
    for (const [index, handover] of batch.entries())
      this.#parts.onSettled(handover, settled[index] ?? 'stale')
    if (!claim) return
    const asked = Math.min(
      claim.limit,
      claim.types.reduce((sum, { limit }) => sum + limit, 0),
    )
    this.#hungry = claimed.length >= asked || this.#again
    this.#again = false
    this.#parts.onClaimed(claimed, claim)
  }

  /** What failed goes to the end of the queue in ever smaller parts: if one outcome is to blame, it stops none of the others. */
  #failed({ batch }: Hand, error: unknown): void {
    const { clock, random, trouble } = this.#parts
    trouble.happened(error)
    this.#doubtful = true
    this.#hungry = true
    this.#queue = [...this.#queue.slice(batch.length), ...this.#queue.slice(0, batch.length)]
    if (!isStoreTrouble(error)) this.#batchLimit = Math.max(1, Math.floor(batch.length / 2))
    const backoffMs = Math.min(retry.longestMs, retry.firstMs * 2 ** this.#failures++) * (0.5 + random() / 2)
    if (this.#closed) return
    this.#resting = clock.after(backoffMs, () => {
      this.#resting = null
      this.#soon()
    })
  }
}

function typeOf({ ended }: Handover): string {
  return ended.job.type
}

function isStoreTrouble(error: unknown): boolean {
  return error instanceof WfError && error.code.startsWith('store_')
}
