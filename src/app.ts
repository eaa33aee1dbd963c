/**
 * Puts the parts together: the only file that names a concrete store. A second store is one more case here.
 * It decides nothing; what it opens, the caller closes.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock, type Clock } from './clock.ts'
import { loadConfig, type Config, type ConfigInput } from './config.ts'
import { isStoreGone, WfError } from './errors.ts'
import { systemRandom, type Random } from './random.ts'
import { openSqliteReader, openSqliteStore } from './store/sqlite/file/open.ts'
import type { Store, StoreReader, StoreWriter } from './store/port.ts'

export interface OpenStoreOptions {
  /** Path, `file:` URL, or `:memory:`; default: what the configuration says. A relative path is taken from the working directory. */
  location?: string | undefined
  /** `read` never creates, migrates or writes. */
  mode: 'read' | 'write'
  /** Makes the store when there is none; default false. Only for `write`. */
  create?: boolean
  /** Refuses (`schema_older`) to bring an older schema up to date while workers of that release live, for they would end. Only for `write`. */
  sparesWorkers?: boolean
  /** Default: read from WF_* variables and wf.config.json of the working directory. */
  config?: Config
  clock?: Clock
  random?: Random
  /** How long a write waits for a lock that another process holds before a WfError `store_locked`; null for ever; default 30 s. */
  lockTimeoutMs?: number | null
}

const defaultLockTimeoutMs = 30_000

/** Rejects with WfErrors: `invalid_config`, `usage` for a kind of store that there is not, and those of the store. */
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

/** The configuration of this process: `flags` > WF_* variables > wf.config.json in the working directory > defaults. */
export function configOf(flags: ConfigInput): Promise<Config> {
  return loadConfig({ flags, env: process.env, directory: process.cwd() })
}

/** Absolute, so that what is printed can be used from anywhere. */
function pathOf(location: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase()
  if (location === ':memory:') return location
  if (scheme === undefined) return resolve(location)
  if (scheme === 'file') return fileURLToPath(location)
  if (scheme === 'postgres' || scheme === 'postgresql') {
    throw new WfError('usage', 'a store on PostgreSQL is not available yet', {
      hint: 'give the path of a file: the same commands work on SQLite',
    })
  }
  throw new WfError('usage', `${scheme}:// is not a kind of store that wf knows`, {
    hint: 'give the path of a file, such as ./wf.db',
  })
}

/** Looking at most this often is cheap enough to be done all the time. */
const readerPollMs = 250

function readOnly(reader: StoreReader, clock: Clock): Store {
  const refuse = () => Promise.reject(new WfError('unexpected', 'this store was opened for reading only'))
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
      throw new WfError('unexpected', 'this store was opened for reading only')
    },
    now: () => clock.now(),
    watch: (changed) => watchVersion(reader, clock, changed),
  }
}

function watchVersion(reader: StoreReader, clock: Clock, changed: () => void): () => void {
  const ended = new AbortController()
  // That its file is gone is a change too: whoever looks then is told so.
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
  // A store that can no longer be read says so to whoever asks it next.
  poll().catch(() => undefined)
  return () => ended.abort()
}
