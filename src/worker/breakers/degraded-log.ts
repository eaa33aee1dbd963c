/** Words about optional steps that fail: each feature at once, then every ten seconds with how often it failed meanwhile. */
import type { Clock } from '../../clock.ts'
import { errorRecord } from '../../domain/error-record.ts'
import type { Job } from '../../domain/job.ts'
import type { Logger } from '../../logger.ts'

const restMs = 10_000
/** Features are names in a program; whoever makes them up by the thousand gets a line for the first of them only. */
const mostFeatures = 100

interface Told {
  /** Monotonic ms. */
  at: number
  untold: number
}

export class DegradedLog {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #features = new Map<string, Told>()

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  tell({ key, type, attempt }: Job, feature: string, thrown: unknown): void {
    const now = this.#clock.monotonic()
    const before = this.#features.get(feature)
    if (before && now - before.at < restMs) {
      before.untold++
      return
    }
    if (!before && this.#features.size >= mostFeatures) return
    this.#features.set(feature, { at: now, untold: 0 })
    const more = before && before.untold > 0 ? ` (and ${before.untold} times since it was last told)` : ''
    const { name, message } = errorRecord(thrown)
    this.#log.warn(
      `the optional step ${feature} failed, its job goes on without it${more}: ${name}: ${message}`,
      {
        job: key,
        type,
        attempt,
        feature,
      },
    )
  }
}
