/**
 * A reader that asks for the one dear thing, the numbers by type, no more often than is worth it: counting a million
 * waiting jobs takes a tenth of a second, and a screen must not keep a core busy with it.
 */
import type { Clock } from '../clock.ts'
import type { StoreReader, TypeView } from '../store/store.ts'

/** Of the time at most this share goes into counting. */
const share = 0.05

export function thriftyReader<R extends StoreReader>(reader: R, clock: Clock): R {
  let known: { types: readonly TypeView[]; until: number; version: number } | null = null
  return {
    ...reader,
    async types(now) {
      const began = clock.monotonic()
      const version = await reader.version()
      if (known && (known.version === version || began < known.until)) return known.types
      const types = await reader.types(now)
      const tookMs = clock.monotonic() - began
      known = { types, version, until: clock.monotonic() + tookMs / share - tookMs }
      return types
    },
  }
}
