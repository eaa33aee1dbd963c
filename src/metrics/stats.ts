/**
 * Sums settled attempts by minute, type, outcome and duration, and writes the sums to the store once a second and on
 * stop, so that views cover all processes and survive restarts. A failed write is repeated with the next one; it neither
 * slows an attempt down nor fails it.
 */
import type { Cancel, Clock } from '../clock.ts'
import { isStoreGone } from '../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { EngineEventMap, EngineEvents } from '../engine/events.ts'
import { loggerOf, type Logger } from '../logger.ts'
import type { Store } from '../store/port.ts'
import { createAttemptTotals, type AttemptTotals } from './attempt-totals.ts'
import { metrics } from './names.ts'
import { Unsent } from './unsent.ts'

export interface StatsOptions {
  events: EngineEvents
  store: Pick<Store, 'addStats' | 'now'>
  clock: Clock
  log: Logger
  /** Interval of flushes (default: 1,000). */
  flushMs?: number
}

export interface Stats {
  /** Subscribes to the engine's events. */
  start(): void
  /** Writes the sums so far. Returns false if the store failed; the sums are kept then. Never rejects. */
  flush(): Promise<boolean>
  /** Unsubscribes and flushes once more. */
  stop(): Promise<void>
}

export function createStats({ events, store, clock, log, flushMs = 1_000 }: StatsOptions): Stats {
  const totals = createAttemptTotals()
  const unsent = new Unsent()
  const flusher = new Flusher({ totals, unsent, store, clock, log, flushMs })
  let unsubscribe: (() => void)[] = []

  const settled = ({ end, settlement, result, now }: EngineEventMap['settled']) => {
    if (result === 'stale') return
    totals.add({
      type: settlement.type,
      outcome: outcomeOf(settlement, result),
      durationMs: end.durationMs,
      at: now,
    })
    const { outcome } = end
    if (outcome.kind === 'defer' && outcome.by !== 'handler')
      unsent.count(metrics.backpressure, { type: settlement.type, reason: outcome.by }, 1)
    flusher.arm()
  }
  const counted = ({ metric, labels, value }: EngineEventMap['counted']) => {
    unsent.count(metric, labels, value)
    flusher.arm()
  }
  const progress = (said: EngineEventMap['progress']) => {
    unsent.progress(said)
    flusher.arm()
  }
  return {
    start() {
      if (unsubscribe.length === 0)
        unsubscribe = [
          events.on('settled', settled),
          events.on('counted', counted),
          events.on('progress', progress),
        ]
    },
    flush: () => flusher.flush(),
    async stop() {
      for (const end of unsubscribe) end()
      unsubscribe = []
      await flusher.end()
    },
  }
}

/** Runs work on an engine outside of a worker, so that the attempts it settles are counted too. */
export async function withStats<T>(
  { engine, clock }: { engine: Engine; clock: Clock },
  work: () => Promise<T>,
): Promise<T> {
  const stats = createStats({ events: engine.events, store: engine, clock, log: loggerOf(() => {}) })
  stats.start()
  try {
    return await work()
  } finally {
    await stats.stop()
  }
}

type FlusherParts = Required<Omit<StatsOptions, 'events'>> & { totals: AttemptTotals; unsent: Unsent }

/** Flushes once a second while there is something to write, one write at a time. */
class Flusher {
  readonly #parts: FlusherParts
  #timer: Cancel | null = null
  #flushing: Promise<boolean> | null = null
  #failing = false
  #ended = false

  constructor(parts: FlusherParts) {
    this.#parts = parts
  }

  arm(): void {
    if (this.#timer === null && !this.#ended)
      this.#timer = this.#parts.clock.after(this.#parts.flushMs, () => void this.flush(), { unref: true })
  }

  flush(): Promise<boolean> {
    this.#timer?.()
    this.#timer = null
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#flushing
    await this.flush()
  }

  async #write(): Promise<boolean> {
    const { totals, unsent, store, log } = this.#parts
    unsent.addAttempts(totals.take())
    if (unsent.isEmpty) return true
    const taken = unsent.take()
    try {
      await store.addStats(taken.stats, taken.counters, taken.progress, store.now())
      this.#failing = false
      return true
    } catch (error) {
      unsent.merge(taken)
      if (!this.#failing && !isStoreGone(error))
        log.warn(`statistics not stored, will retry: ${messageOf(error)}`)
      this.#failing = true
      this.arm()
      return false
    }
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Refused settlements and undeclared business errors became incidents. */
function outcomeOf(
  { outcome, incident }: EngineEventMap['settled']['settlement'],
  result: EngineEventMap['settled']['result'],
) {
  return result === 'refused' || (outcome === 'business_error' && incident !== null) ? 'incident' : outcome
}
