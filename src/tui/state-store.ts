/** Holds the state: events change it through the reducer, and subscribers are called at most ten times a second. */
import type { Cancel, Clock } from '../clock.ts'
import type { Event, State } from './state.ts'
import { reduce } from './reduce.ts'

/** Two frames may follow each other at once, so that a key doesn't wait after a frame of a tick or a read. */
const burst = 2
/** Time between frames in a row; with the burst at most ten in any second. */
const frameMs = 125

export interface StateStore {
  state(): State
  dispatch(event: Event): void
  subscribe(changed: () => void): () => void
  /** Calls no subscriber any more. */
  close(): void
}

export function createStateStore(initial: State, clock: Clock): StateStore {
  const listeners = new Set<() => void>()
  let state = initial
  let saved = burst
  let savedMs = clock.monotonic()
  let pending: Cancel | null = null
  let isClosed = false
  /** Returns the number of frames that may be drawn now. */
  const frames = () => {
    const now = clock.monotonic()
    saved = Math.min(burst, saved + (now - savedMs) / frameMs)
    savedMs = now
    return saved
  }
  const draw = () => {
    pending = null
    frames()
    saved -= 1
    for (const listener of listeners) listener()
  }
  return {
    state: () => state,
    dispatch(event) {
      const before = state
      state = reduce(state, event)
      if (state === before || pending !== null || isClosed) return
      const left = frames()
      if (left >= 1) draw()
      else pending = clock.after(Math.ceil((1 - left) * frameMs), draw)
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
