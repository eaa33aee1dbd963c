/**
 * A worker inside a program of your own, such as a server: it takes jobs, runs them in this process and keeps its lease.
 * It puts the parts together; what one process cannot promise is said in worker/inline.ts.
 */
import { hostname } from 'node:os'
import { openStore, configOf } from './app.ts'
import { systemClock } from './clock.ts'
import type { Config, Durability } from './config.ts'
import { logCleaner } from './text/sanitize.ts'
import { WfError } from './errors.ts'
import { preview } from './text/preview.ts'
import { createEngine } from './engine/engine.ts'
import { createEvents } from './engine/events.ts'
import { createSweeper } from './engine/sweeper.ts'
import { createLogger, type Logger } from './logger.ts'
import { createStats } from './metrics/stats.ts'
import { systemRandom } from './random.ts'
import type { Store } from './store/port.ts'
import type { AnyHandler } from './worker/handler/define-handler.ts'
import { createInline, type Inline } from './worker/inline.ts'
import { drainMessage } from './worker/supervisor/supervisor-messages.ts'
import type { LoadedHandler } from './worker/handler/loaded-handler.ts'

export interface StartWorkerOptions {
  handlers: readonly AnyHandler[]
  /** Path of the store's file; default: WF_STORE, wf.config.json, else ./wf.db. Created when it is not there. */
  store?: string
  /** What an accepted job survives; default `power`. */
  durability?: Durability
  /** False: a store that is not there is an error. Default true. */
  create?: boolean
  /** Jobs at once over all types; 1 … 10,000; default the sum of the handlers' own numbers. */
  concurrency?: number
  /** The worker's name in lists; default `embedded`. */
  name?: string
  /** Default: warnings and errors as JSON lines on standard error. */
  log?: Logger
}

export interface EmbeddedWorker {
  /**
   * Resolves with a WfError `store_replaced` or `store_missing` when the store's file was replaced, or was gone for 5 s: its
   * handlers were told to stop, and it takes no more jobs. Stop it and start another, or end the process.
   */
  readonly lost: Promise<WfError>
  /**
   * No new starts; running handlers may finish within `graceMs` (default 30,000), are told to stop shortly before its end,
   * and what is unfinished then is given back at no retry. Resolves when the worker is gone and its store closed.
   */
  drain(graceMs?: number): Promise<void>
  /** Gives everything back now. */
  stop(): Promise<void>
}

const defaultGraceMs = 30_000
const longestGraceMs = 24 * 60 * 60_000
const optionNames: ReadonlySet<string> = new Set([
  'handlers',
  'store',
  'durability',
  'create',
  'concurrency',
  'name',
  'log',
])

/** Drains by itself when `wf workers drain` names it. Resolves when the worker takes jobs. Rejects with a WfError: `usage`, `invalid_handler`, `invalid_config` or one of the store's. */
export async function startWorker(options: StartWorkerOptions): Promise<EmbeddedWorker> {
  const handlers = await checked(options)
  const config = await configOf({
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.durability === undefined ? {} : { durability: options.durability }),
  })
  const log = options.log ?? (await quietLog())
  const store = await openStore({
    mode: 'write',
    create: options.create ?? true,
    config,
    lockTimeoutMs: null,
  })
  const inline = await orClosed(inlineOn({ store, config, log, handlers, options }), store)
  const worker = embedded(inline, store)
  void inline.drainAsked.then(() => {
    log.warn(drainMessage(defaultGraceMs))
    return worker.drain()
  })
  try {
    await inline.start()
    return worker
  } catch (error) {
    await worker.stop()
    throw error
  }
}

/** Handlers that disagree about what they share are found out only when they are put together. */
async function orClosed<T>(made: Promise<T>, store: Store): Promise<T> {
  try {
    return await made
  } catch (error) {
    await store.close()
    throw error
  }
}

function embedded(inline: Inline, store: Store): EmbeddedWorker {
  let closed: Promise<void> | null = null
  /** Whatever went wrong on the way: what is not given back starts elsewhere when the lease is over. */
  const endWith = async (end: Promise<void>) => {
    try {
      await end
    } finally {
      closed ??= store.close()
      await closed
    }
  }
  return {
    lost: inline.lost,
    async drain(graceMs = defaultGraceMs) {
      if (!Number.isSafeInteger(graceMs) || graceMs < 0 || graceMs > longestGraceMs) {
        throw new WfError('usage', `graceMs is ${preview(graceMs, 60)}`, {
          hint: `it is a whole number of milliseconds from 0 to ${longestGraceMs}`,
        })
      }
      await endWith(inline.drain(graceMs))
    },
    stop: () => endWith(inline.stop()),
  }
}

interface InlineParts {
  store: Store
  config: Config
  log: Logger
  handlers: ReadonlyMap<string, LoadedHandler>
  options: StartWorkerOptions
}

async function inlineOn({ store, config, log, handlers, options }: InlineParts): Promise<Inline> {
  const clock = systemClock
  const events = createEvents()
  const engine = createEngine({ store, random: systemRandom, events, sizes: config.sizes })
  const { leaseMs, renewalMs, sweepMs, retention } = config
  const { storeId } = await store.info()
  return createInline({
    engine,
    clock,
    random: systemRandom,
    log,
    handlers,
    storeId,
    label: options.name ?? 'embedded',
    host: hostname(),
    pid: process.pid,
    concurrency: options.concurrency ?? null,
    maxJobs: null,
    lease: { leaseMs, renewMs: renewalMs },
    upkeep: [
      createSweeper({ engine, clock, log, sweepMs, renewalMs, retention }),
      createStats({ events, store, clock, log }),
    ],
  })
}

async function checked(options: StartWorkerOptions): Promise<ReadonlyMap<string, LoadedHandler>> {
  const stranger = Object.keys(options).find((name) => !optionNames.has(name))
  if (stranger !== undefined) {
    throw new WfError('usage', `${stranger} is not an option of startWorker`, {
      hint: `the options are ${[...optionNames].join(', ')}`,
    })
  }
  const { concurrency, name, handlers } = options
  if (
    concurrency !== undefined &&
    (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > 10_000)
  ) {
    throw new WfError('usage', `concurrency is ${preview(concurrency, 60)}`, {
      hint: 'it is a whole number from 1 to 10,000',
    })
  }
  if (name !== undefined && !/^[\w-]{1,60}$/.test(name)) {
    throw new WfError('usage', `name is ${preview(name, 60)}`, {
      hint: 'a name is 1 to 60 letters, digits, - or _',
    })
  }
  if (!Array.isArray(handlers) || handlers.length === 0)
    throw new WfError('usage', 'startWorker was given no handlers', { hint: 'give it handlers: [ … ]' })
  return byType(handlers)
}

async function byType(handlers: readonly AnyHandler[]): Promise<ReadonlyMap<string, LoadedHandler>> {
  const { normaliseHandler } = await import('./worker/handler/handler-schema.ts')
  const loaded = new Map<string, LoadedHandler>()
  for (const handler of handlers.map(normaliseHandler)) {
    if (loaded.has(handler.type)) {
      throw new WfError('invalid_handler', `two handlers are given for the type ${preview(handler.type)}`, {
        hint: 'give one of them another type',
      })
    }
    loaded.set(handler.type, handler)
  }
  return loaded
}

function quietLog(): Promise<Logger> {
  return createLogger({
    style: 'json',
    level: 'warn',
    colours: false,
    write: (line) => void process.stderr.write(line),
    now: systemClock.now,
    clean: logCleaner,
  })
}
