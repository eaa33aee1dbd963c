/** Frames as text, one after the other, each only where it differs from the one before: what comes out the same is not drawn again. */
import type { StateDesk } from './state-store.ts'
import { frameOf } from './frame.ts'
import type { ScreenPaint } from './render-context.ts'

export interface Frames {
  /** Throws what drawing threw. */
  lines(): readonly string[]
  subscribe(changed: () => void): () => void
  /** How many in a row have come out the same. */
  quiet(): number
}

export function createFrames(desk: Pick<StateDesk, 'state' | 'subscribe'>, paint: ScreenPaint): Frames {
  const draw = () => {
    try {
      return { lines: frameOf(desk.state(), paint).map(({ text }) => text), error: null }
    } catch (error) {
      // Whoever shows the frame is told, not whoever has changed the state.
      return { lines: [], error }
    }
  }
  const listeners = new Set<() => void>()
  let last = draw()
  let quiet = 0
  desk.subscribe(() => {
    const next = draw()
    const same = next.error === null && isSame(next.lines, last.lines)
    quiet = same ? quiet + 1 : 0
    if (same) return
    last = next
    for (const changed of listeners) changed()
  })
  return {
    lines() {
      if (last.error !== null) throw last.error
      return last.lines
    },
    quiet: () => quiet,
    subscribe(changed) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}
