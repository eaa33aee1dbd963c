/**
 * When a quarantine child has to live. A suspect (two losses in a row) is claimed only there, alone, so that what kills
 * its process takes no neighbour with it. The child lives only while suspects are due.
 */
import type { Store } from '../../store/port.ts'

/** A suspect waits a second after its second loss; a child is not started anew for each. */
const lingerMs = 3000

export interface QuarantineView {
  /** Types that the children handle. */
  types: readonly string[]
  /** Id of the living quarantine child; null when there is none. */
  workerId: string | null
  /** Monotonic ms. */
  now: number
}

export class Quarantine {
  readonly #store: Pick<Store, 'hasDue' | 'held' | 'now'>
  #neededAt = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, 'hasDue' | 'held' | 'now'>) {
    this.#store = store
  }

  /** What to do with the quarantine child now. */
  async look({ types, workerId, now }: QuarantineView): Promise<'start' | 'end' | 'leave'> {
    if (types.length === 0) return 'leave'
    const due = await this.#store.hasDue(types, true, this.#store.now())
    const busy = workerId !== null && (await this.#store.held(workerId)).length > 0
    if (due || busy) this.#neededAt = now
    if (due && workerId === null) return 'start'
    return workerId !== null && now - this.#neededAt > lingerMs ? 'end' : 'leave'
  }
}
