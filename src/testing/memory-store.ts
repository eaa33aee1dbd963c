/** A store in memory for tests: the SQLite store on `:memory:`, with the same rules as in production. */
import { openStore } from '../app.ts'
import { systemClock, type Clock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { systemRandom, type Random } from '../random.ts'
import type { Store } from '../store/port.ts'

export interface MemoryStoreOptions {
  /** Default: the system clock. */
  clock?: Clock
  random?: Random
}

/** Opens an empty store that is deleted when it is closed. Reads no variables and no configuration file. */
export async function openMemoryStore({
  clock = systemClock,
  random = systemRandom,
}: MemoryStoreOptions = {}): Promise<Store> {
  const config = await loadConfig({})
  return openStore({ location: ':memory:', mode: 'write', create: true, config, clock, random })
}
