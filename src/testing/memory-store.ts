/** A store in memory for tests: the SQLite store on `:memory:`, so that a test meets the very rules that production does. */
import { openStore } from '../app.ts'
import { systemClock, type Clock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { systemRandom, type Random } from '../random.ts'
import type { Store } from '../store/port.ts'

export interface MemoryStoreOptions {
  /** Default: the system's. */
  clock?: Clock
  random?: Random
}

/** Gone when it is closed. Reads no variables and no configuration file. */
export async function openMemoryStore({
  clock = systemClock,
  random = systemRandom,
}: MemoryStoreOptions = {}): Promise<Store> {
  const config = await loadConfig({})
  return openStore({ location: ':memory:', mode: 'write', create: true, config, clock, random })
}
