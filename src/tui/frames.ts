/** The frames of a state, one after another, each announced only where it differs from the one before. */
import type { Safe } from '../terminal/safe.ts'

export interface Frames {
  /** The present frame; the same array until it changes. */
  lines(): readonly string[]
  /** Calls `changed` for each new frame. Returns an unsubscribe function. */
  subscribe(changed: () => void): () => void
  /** Number of states in a row that made the same frame. */
  quiet(): number
  /** Draws the present state, where that was put off. */
  refresh(): void
}

export interface FramesOptions {
  /** Draws the present state. */
  draw(): readonly Safe[]
  /** Calls back whenever the state has changed. */
  subscribe(changed: () => void): unknown
  /** Whether the terminal takes a frame; otherwise the newest one is drawn at the next `refresh` (default: always). */
  isReady?(): boolean
  /** Receives what `draw` throws, instead of the code that changed the state. */
  failed(error: unknown): void
}

export function createFrames({ draw, subscribe, isReady = () => true, failed }: FramesOptions): Frames {
  const listeners = new Set<() => void>()
  let last: readonly string[] = []
  let quiet = 0
  const refresh = () => {
    if (!isReady()) return
    try {
      const next = draw().map(({ text }) => text)
      const isSame = next.length === last.length && next.every((line, row) => line === last[row])
      quiet = isSame ? quiet + 1 : 0
      if (isSame) return
      last = next
    } catch (error) {
      return failed(error)
    }
    for (const changed of listeners) changed()
  }
  refresh()
  subscribe(refresh)
  return {
    lines: () => last,
    subscribe(changed) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    quiet: () => quiet,
    refresh,
  }
}
