/**
 * Polls the store: reads a snapshot only if the store or the query has changed, never twice at
 * the same time, and reports failures.
 */
import type { Clock } from '../clock.ts'
import { readFirst, readSnapshot } from './read-snapshot.ts'
import type { Source } from './source.ts'
import type { Figures, Query, Snapshot } from './snapshot.ts'

export interface SnapshotPollerOptions {
  source: Source
  clock: Clock
  /** Time between two polls. */
  refreshMs: number
  /** Returns the present query, or null if the screen is frozen. */
  query(): Query | null
  onRead(snapshot: Snapshot): void
  /** Receives the first snapshot, without counts. */
  onFirst?(snapshot: Snapshot): void
  /** Called after a poll without changes. */
  onSame(at: number): void
  onFailure(error: unknown): void
}

export interface SnapshotPoller {
  /** Polls at once, or right after the running poll. `anew` reads even if nothing has changed. */
  poke(options?: { anew: boolean }): void
  /** Resolves after the running poll. */
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
  // Only the selection changed: recent figures are still good.
  const isFresh = known !== null && clock.monotonic() - known.readMs < refreshMs
  const snapshot = await readSnapshot(source, query, isFresh ? known?.figures : undefined)
  options.onRead(snapshot)
  const { figures } = snapshot
  return isFresh && known
    ? { ...known, query: key }
    : { version, query: key, figures, readMs: clock.monotonic() }
}
