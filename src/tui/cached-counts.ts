/**
 * A reader for a screen: it lets keys through between any two questions, and asks for the one dear thing, the numbers by
 * type, no more often than is worth it: counting a million waiting jobs takes a tenth of a second, and a screen must not
 * keep a core busy with it.
 */
import type { Clock } from '../clock.ts'
import type { StoreReader } from '../store/port.ts'
import type { TypeView } from '../store/views.ts'

/** Of the time at most this share goes into counting. */
const share = 0.05

export function thriftyReader(reader: StoreReader, clock: Clock): StoreReader {
  let known: { types: readonly TypeView[]; until: number; version: number } | null = null
  const types: StoreReader['types'] = async (now) => {
    const version = await reader.version()
    if (known && (known.version === version || clock.monotonic() < known.until)) return known.types
    await breath()
    const began = clock.monotonic()
    const views = await reader.types(now)
    const tookMs = clock.monotonic() - began
    known = { types: views, version, until: clock.monotonic() + tookMs / share - tookMs }
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

/** An answer of the store holds up everything else while it is made; what has come in meanwhile goes first. */
const breath = () => new Promise<void>((resolve) => setImmediate(resolve))
