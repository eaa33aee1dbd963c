/** Log lines about breakers that change and optional steps that fail. */
import type { Clock } from '../../clock.ts'
import { errorRecord } from '../../domain/error-record.ts'
import type { Job } from '../../domain/job.ts'
import type { Logger } from '../../logger.ts'
import type { BreakerChange } from '../../resilience/circuit-breaker.ts'

const events = {
  open: { event: 'opened', effect: 'jobs that need it wait and spend no retry' },
  half_open: { event: 'half-opened', effect: 'probes may pass' },
  closed: { event: 'closed', effect: 'waiting jobs start on a ramp' },
} as const

export function logBreaker(log: Logger, { name, from, to, generation, by }: BreakerChange): void {
  const { event, effect } = events[to]
  const line = `the breaker of ${name} ${event}${by === 'operator' ? ' by an operator' : ''}: ${effect}`
  const fields = { breaker: name, from, to, generation }
  if (to === 'open') log.warn(line, fields)
  else log.info(line, fields)
}

const throttleMs = 10_000
/** Later features of a program that invents names are not logged. */
const maxFeatures = 100

/** Logs a failed optional step at once, then each feature at most every 10 s, with how often it failed meanwhile. */
export class DegradedLog {
  readonly #clock: Clock
  readonly #log: Logger
  /** By feature; `at` is monotonic ms. */
  readonly #features = new Map<string, { at: number; unlogged: number }>()

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  failed({ key, type, attempt }: Job, feature: string, thrown: unknown): void {
    const now = this.#clock.monotonic()
    const before = this.#features.get(feature)
    if (before && now - before.at < throttleMs) {
      before.unlogged++
      return
    }
    if (!before && this.#features.size >= maxFeatures) return
    this.#features.set(feature, { at: now, unlogged: 0 })
    const more = before && before.unlogged > 0 ? ` (${before.unlogged} more times since the last line)` : ''
    const { name, message } = errorRecord(thrown)
    this.#log.warn(
      `optional step ${feature} failed, the job goes on without it${more}: ${name}: ${message}`,
      {
        ...{ job: key, type, attempt, feature },
      },
    )
  }
}
