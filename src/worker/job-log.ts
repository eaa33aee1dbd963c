/**
 * What a person reads while a worker works: one line a finished attempt, and above twenty lines a second a summary every
 * three seconds instead, so that a busy worker neither scrolls away nor slows down. It only listens; the logger makes
 * words or JSON of it.
 */
import type { Cancel, Clock } from '../clock.ts'
import type { EngineEventMap, EngineEvents } from '../engine/events.ts'
import type { Settlement } from '../domain/outcome.ts'
import type { Logger } from '../logger.ts'
import { jobName, lineOf, reasonOf } from './job-messages.ts'

export interface JobLogOptions {
  log: Logger
  clock: Clock
  events: Pick<EngineEvents, 'on'>
  /** Only attempts of this worker are told. */
  workerId: string
}

export interface JobLog {
  start(): void
  /** Tells what has not been told yet. */
  stop(): void
}

const linesPerSecond = 20
const summaryMs = 3_000

export function createJobLog(options: JobLogOptions): JobLog {
  const speaker = new Speaker(options)
  let end: Cancel = () => undefined
  return {
    start() {
      end = options.events.on('settled', (settled) => {
        if (settled.settlement.fence.workerId === options.workerId && settled.result !== 'stale')
          speaker.say(settled)
      })
    },
    stop() {
      end()
      speaker.close()
    },
  }
}

interface Counts {
  done: number
  failed: number
  rejected: number
  other: number
  stops: Map<string, number>
  /** The last one that stopped. */
  last: Settlement | null
}

const nothing = (): Counts => ({ done: 0, failed: 0, rejected: 0, other: 0, stops: new Map(), last: null })

class Speaker {
  readonly #log: Logger
  readonly #clock: Clock
  /** Lines of the second that began then; monotonic. */
  #secondAt = Number.NEGATIVE_INFINITY
  #lines = 0
  #summary: Counts | null = null
  #summarySince = 0
  #cancel: Cancel = () => undefined

  constructor({ log, clock }: JobLogOptions) {
    this.#log = log
    this.#clock = clock
  }

  say(settled: EngineEventMap['settled']): void {
    if (this.#summary) {
      count(this.#summary, settled)
      return
    }
    const now = this.#clock.monotonic()
    if (now - this.#secondAt >= 1_000) {
      this.#secondAt = now
      this.#lines = 0
    }
    if (++this.#lines > linesPerSecond) this.#sumUp(now, settled)
    else this.#tell(settled)
  }

  close(): void {
    this.#cancel()
    if (this.#summary) this.#tellSummary(this.#summary)
    this.#summary = null
  }

  #tell({ settlement, result, end, now }: EngineEventMap['settled']): void {
    const { level, message, fields } = lineOf({ settlement, result, now, durationMs: end.durationMs })
    this.#log[level](message, fields)
  }

  #sumUp(now: number, first: EngineEventMap['settled']): void {
    this.#summary = nothing()
    this.#summarySince = now
    count(this.#summary, first)
    this.#cancel = this.#clock.after(summaryMs, this.#turn, { unref: true })
  }

  readonly #turn = (): void => {
    const summary = this.#summary
    if (!summary) return
    const told = this.#tellSummary(summary)
    this.#summary = null
    if (told <= (linesPerSecond * summaryMs) / 1_000) return
    this.#summary = nothing()
    this.#summarySince = this.#clock.monotonic()
    this.#cancel = this.#clock.after(summaryMs, this.#turn, { unref: true })
  }

  /** How many attempts it told of. */
  #tellSummary({ done, failed, rejected, other, stops, last }: Counts): number {
    const stopped = [...stops.values()].reduce((sum, times) => sum + times, 0)
    const total = done + failed + rejected + other + stopped
    if (total === 0) return 0
    const seconds = Math.max(0.1, (this.#clock.monotonic() - this.#summarySince) / 1_000)
    const parts = [
      `✓ ${done} done`,
      ...(failed > 0 ? [`✗ ${failed} failed, to be tried again`] : []),
      ...(rejected > 0 ? [`– ${rejected} rejected`] : []),
      ...(other > 0 ? [`… ${other} put off`] : []),
      ...(stopped > 0
        ? [
            `▲ ${stopped} stopped (${[...stops].map(([kind, times]) => `${kind} ${times}`).join(', ')}), the last: ${last ? stopOf(last) : ''}`,
          ]
        : []),
    ]
    const fields = { done, failed, rejected, other, stopped, seconds: Math.round(seconds * 10) / 10 }
    this.#log[stopped > 0 ? 'warn' : 'info'](
      `${parts.join('  ')}  in ${Math.round(seconds)} s (${Math.round(total / seconds)}/s)`,
      fields,
    )
    return total
  }
}

function count(counts: Counts, { settlement, result }: EngineEventMap['settled']): void {
  const { outcome, incident, deadLetter } = settlement
  const stop = result === 'refused' ? 'settlement_refused' : (incident?.kind ?? deadLetter?.reason)
  if (stop) {
    counts.stops.set(stop, (counts.stops.get(stop) ?? 0) + 1)
    counts.last = settlement
  } else if (outcome === 'success') counts.done++
  else if (outcome === 'fail' || outcome === 'lost') counts.failed++
  else if (outcome === 'business_error') counts.rejected++
  else counts.other++
}

function stopOf({ type, fence, incident, deadLetter }: Settlement): string {
  const error = incident?.error ?? deadLetter?.error
  const name = jobName({ type, key: fence.jobKey })
  return error ? `${name}: ${reasonOf(error)}` : name
}
