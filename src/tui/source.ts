/** What snapshots are read from: a reader that yields to keys between two reads, and counts seldom. */
import type { Clock } from '../clock.ts'
import { createInspector, type Inspector } from '../engine/inspector.ts'
import type { StoreReader } from '../store/port.ts'
import type { TypeView } from '../store/views.ts'
import { seriesReader, type SeriesReader } from './series.ts'

export interface Source {
  reader: StoreReader
  inspector: Inspector
  series: SeriesReader
  now(): number
}

export function sourceOf(store: StoreReader & { now(): number }, clock: Clock): Source {
  const reader = withCachedCounts(store, clock)
  return {
    reader,
    inspector: createInspector(reader, () => store.now()),
    series: seriesReader(reader),
    now: () => store.now(),
  }
}

/** Largest share of the time spent on counting. */
const share = 0.05
/** Counts are never older, however long counting takes. */
const maxAgeMs = 30_000

function withCachedCounts(reader: StoreReader, clock: Clock): StoreReader {
  let known: { types: readonly TypeView[]; until: number; version: number } | null = null
  const types: StoreReader['types'] = async (now) => {
    const version = await reader.version()
    if (known && (known.version === version || clock.monotonic() < known.until)) return known.types
    await breath()
    const began = clock.monotonic()
    const views = await reader.types(now)
    const tookMs = clock.monotonic() - began
    known = { types: views, version, until: clock.monotonic() + Math.min(maxAgeMs, tookMs / share - tookMs) }
    return views
  }
  return new Proxy(reader, {
    get(target, name: keyof StoreReader) {
      if (name === 'types') return types
      const method = target[name] as (...values: unknown[]) => Promise<unknown>
      return async (...values: unknown[]) => {
        await breath()
        return method.apply(target, values)
      }
    },
  })
}

/** A read blocks its thread: events that arrived meanwhile go first. */
const breath = () => new Promise<void>((resolve) => setImmediate(resolve))
