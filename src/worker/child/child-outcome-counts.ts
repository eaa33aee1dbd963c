/**
 * Tells the supervisor what the attempts came to, before their process runs anything else that may end it: what is told too
 * late is never told. A stop decides about the exit code of the run, so it is told with the exchange that stored it.
 */
import type { Clock } from '../../clock.ts'
import type { EngineEvents } from '../../engine/events.ts'
import type { ChildChannel } from './child-channel.ts'
import { count, stopped, outcomeKey, type OutcomeCounts } from '../outcome-counts.ts'

/** A busy worker has hundreds of exchanges a second. */
const everyMs = 25

export class TallyReport {
  readonly #parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }
  readonly #tally: OutcomeCounts = {}
  #waiting = false
  #changed = false
  #asked = false
  #toldStops = 0

  constructor(parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }) {
    this.#parts = parts
  }

  start(): void {
    this.#parts.events.on('settled', ({ settlement, result }) => {
      const key = outcomeKey(settlement, result)
      if (key === null) return
      count(this.#tally, key)
      this.#changed = true
      this.#soon()
    })
  }

  /** After the last settlement of an exchange, before what it claimed is started. */
  #soon(): void {
    if (this.#asked) return
    this.#asked = true
    queueMicrotask(() => {
      this.#asked = false
      if (!this.#waiting || stopped(this.#tally) > this.#toldStops) this.send()
    })
  }

  send(): void {
    if (!this.#changed) return
    this.#changed = false
    this.#toldStops = stopped(this.#tally)
    void this.#parts.channel.send({ kind: 'tally', tally: this.#tally })
    if (this.#waiting) return
    this.#waiting = true
    const next = () => {
      this.#waiting = false
      this.send()
    }
    this.#parts.clock.after(everyMs, next, { unref: true })
  }
}
