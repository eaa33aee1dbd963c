/** Tells the supervisor what the attempts came to: the first at once, so that a short life is known to have been of use. */
import type { Clock } from '../../clock.ts'
import type { EngineEvents } from '../../engine/events.ts'
import type { ChildChannel } from './child-channel.ts'
import { count, tallyKey, type Tally } from '../tally.ts'

const everyMs = 200

export class TallyReport {
  readonly #parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }
  readonly #tally: Tally = {}
  #waiting = false
  #changed = false

  constructor(parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }) {
    this.#parts = parts
  }

  start(): void {
    this.#parts.events.on('settled', ({ settlement, result }) => {
      const key = tallyKey(settlement, result)
      if (key === null) return
      count(this.#tally, key)
      this.#changed = true
      if (!this.#waiting) this.send()
    })
  }

  send(): void {
    if (!this.#changed) return
    this.#changed = false
    this.#waiting = true
    void this.#parts.channel.send({ kind: 'tally', tally: this.#tally })
    const next = () => {
      this.#waiting = false
      this.send()
    }
    this.#parts.clock.after(everyMs, next, { unref: true })
  }
}
