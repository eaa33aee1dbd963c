/** Where the present state lies: events change it through the reducer, and whoever draws hears of it at most ten times a second. */
import type { Cancel, Clock } from '../clock.ts'
import type { Event } from './event.ts'
import { reduce } from './reduce.ts'
import type { State } from './state.ts'

const frameMs = 100

export interface StateDesk {
  state(): State
  dispatch(event: Event): void
  subscribe(changed: () => void): () => void
  /** No frame is drawn after it. */
  close(): void
}

export function createDesk(initial: State, clock: Clock): StateDesk {
  const listeners = new Set<() => void>()
  let state = initial
  let drawnMs = Number.NEGATIVE_INFINITY
  let pending: Cancel | null = null
  let isClosed = false
  const draw = () => {
    pending = null
    drawnMs = clock.monotonic()
    for (const listener of listeners) listener()
  }
  return {
    state: () => state,
    dispatch(event) {
      const before = state
      state = reduce(state, event)
      if (state === before || pending !== null || isClosed) return
      const waitMs = drawnMs + frameMs - clock.monotonic()
      // The first key after a rest is answered at once.
      if (waitMs <= 0) draw()
      else pending = clock.after(waitMs, draw)
    },
    subscribe(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    close() {
      isClosed = true
      pending?.()
      pending = null
    },
  }
}
