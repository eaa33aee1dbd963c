/** Opens stores: the only file that names a concrete one. A second store is one more case here. The caller closes what it opens. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock, type Clock } from './clock.ts'
import { loadConfig, type Config, type ConfigInput } from './config.ts'
import { isStoreGone, WfError } from './errors.ts'
import { systemRandom, type Random } from './random.ts'
import { openSqliteReader, openSqliteStore } from './store/sqlite/file/open.ts'
import type { Store, StoreReader, StoreWriter } from './store/port.ts'

export interface OpenStoreOptions {
  /** Path relative to the working directory, `file:` URL, or `:memory:` (default: `store` of the configuration). */
  location?: string | undefined
  /** `read` never creates, migrates or writes. */
  mode: 'read' | 'write'
  /** Creates the store if it doesn't exist (default: false). Only for `write`. */
  create?: boolean
  /** Refuses (`schema_older`) to migrate while workers of an older wf live, since a migration ends them. Only for `write`. */
  sparesWorkers?: boolean
  /** Default: WF_* variables and wf.config.json of the working directory. */
  config?: Config
  clock?: Clock
  random?: Random
  /** How long a write waits for another process's lock before a WfError `store_locked`; null: for ever (default: 30 s). */
  lockTimeoutMs?: number | null
}

const defaultLockTimeoutMs = 30_000

/** Opens a store. Rejects with a WfError: `invalid_config`, `usage` for an unknown kind of store, or one of the store's. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const {
    mode,
    clock = systemClock,
    random = systemRandom,
    create = false,
    sparesWorkers = false,
    lockTimeoutMs = defaultLockTimeoutMs,
  } = options
  const config = options.config ?? (await configOf({}))
  const path = pathOf(options.location ?? config.store)
  const { durability, networkFileSystem } = config
  if (mode === 'read') return readOnly(await openSqliteReader({ path, clock, networkFileSystem }), clock)
  const lock = lockTimeoutMs === null ? {} : { lockTimeoutMs }
  return openSqliteStore({
    path,
    clock,
    random,
    durability,
    create,
    sparesWorkers,
    networkFileSystem,
    ...lock,
  })
}

/** Returns the configuration of this process: `flags` > WF_* variables > wf.config.json in the working directory > defaults. */
export function configOf(flags: ConfigInput): Promise<Config> {
  return loadConfig({ flags, env: process.env, directory: process.cwd() })
}

/** Returns an absolute path, so that a printed one can be used from anywhere. */
function pathOf(location: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase()
  if (location === ':memory:') return location
  if (scheme === undefined) return resolve(location)
  if (scheme === 'file') return fileURLToPath(location)
  if (scheme === 'postgres' || scheme === 'postgresql') {
    throw new WfError('usage', 'PostgreSQL stores are not available yet', {
      hint: 'give the path of a file: the same commands work on SQLite',
    })
  }
  throw new WfError('usage', `unknown kind of store ${scheme}://`, {
    hint: 'give the path of a file, such as ./wf.db',
  })
}

/** Interval of a reader's checks for changes; cheap enough to run all the time. */
const readerPollMs = 250

function readOnly(reader: StoreReader, clock: Clock): Store {
  const refuse = () => Promise.reject(new WfError('unexpected', 'this store is open for reading only'))
  const writer: StoreWriter = {
    enqueue: refuse,
    exchange: refuse,
    renew: refuse,
    transact: refuse,
    beginStep: refuse,
    completeStep: refuse,
    withdrawStep: refuse,
    addStats: refuse,
    prune: refuse,
  }
  return {
    ...reader,
    ...writer,
    enqueueIn() {
      throw new WfError('unexpected', 'this store is open for reading only')
    },
    now: () => clock.now(),
    watch: (changed) => watchVersion(reader, clock, changed),
  }
}

function watchVersion(reader: StoreReader, clock: Clock, changed: () => void): () => void {
  const ended = new AbortController()
  // A missing file is a change too: the next read reports it.
  const current = () =>
    reader.version().catch((error: unknown) => {
      if (isStoreGone(error)) return null
      throw error
    })
  const poll = async () => {
    let known = await current()
    while (!ended.signal.aborted) {
      await clock.sleep(readerPollMs, ended.signal)
      if (ended.signal.aborted) return
      const version = await current()
      if (version !== known) changed()
      known = version
    }
  }
  // The next read reports a store that can't be read any more.
  poll().catch(() => undefined)
  return () => ended.abort()
}
