/**
 * Keeps the dashboard's data fresh: reads only when the store has changed or something else is asked for, never twice at
 * the same time, and says so when it cannot read. What was read before stays with whoever has it.
 */
import type { Clock } from '../clock.ts'
import { readFirst, readSnapshot } from './read-snapshot.ts'
import type { Source } from './source.ts'
import type { Figures, Query, Snapshot } from './snapshot.ts'

export interface SnapshotPollerOptions {
  source: Source
  clock: Clock
  /** Between two looks. */
  refreshMs: number
  /** What is wanted now; null: nothing, the screen is frozen. */
  query(): Query | null
  onRead(snapshot: Snapshot): void
  /** Before the first count is made: what needs none. */
  onFirst?(snapshot: Snapshot): void
  /** The store was looked at, and nothing in it has changed. */
  onSame(at: number): void
  onFailure(error: unknown): void
}

export interface SnapshotPoller {
  /** Something else is wanted: look at once, or right after the look that is under way. `anew`: whatever is known. */
  poke(options?: { anew: boolean }): void
  /** Ends after the look that is under way. */
  stop(): Promise<void>
}

interface Known {
  version: number
  query: string
  figures: Figures
  /** Monotonic. */
  readMs: number
}

export function startSnapshotPoller(options: SnapshotPollerOptions): SnapshotPoller {
  const { clock, refreshMs } = options
  const ended = new AbortController()
  let wake = new AbortController()
  let known: Known | null = null
  let isFirst = true
  const loop = async () => {
    while (!ended.signal.aborted) {
      wake = new AbortController()
      try {
        known = await look(options, known, isFirst)
        isFirst = false
      } catch (error) {
        options.onFailure(error)
      }
      if (!ended.signal.aborted) await clock.sleep(refreshMs, wake.signal)
    }
  }
  const finished = loop()
  return {
    poke({ anew } = { anew: false }) {
      if (anew) known = null
      wake.abort()
    },
    stop() {
      ended.abort()
      wake.abort()
      return finished
    },
  }
}

async function look(
  options: SnapshotPollerOptions,
  known: Known | null,
  isFirst: boolean,
): Promise<Known | null> {
  const { source, clock, refreshMs } = options
  const query = options.query()
  if (query === null) return known
  const version = await source.reader.version()
  const key = JSON.stringify(query)
  if (known && known.version === version && known.query === key) {
    options.onSame(source.now())
    return known
  }
  const first = isFirst && options.onFirst ? await readFirst(source, query) : null
  if (first !== null) options.onFirst?.(first)
  // Another row was selected: what stands around it was read a moment ago.
  const isFresh = known !== null && clock.monotonic() - known.readMs < refreshMs
  const snapshot = await readSnapshot(source, query, isFresh ? known?.figures : undefined)
  options.onRead(snapshot)
  const { figures } = snapshot
  return isFresh && known
    ? { ...known, query: key }
    : { version, query: key, figures, readMs: clock.monotonic() }
}
