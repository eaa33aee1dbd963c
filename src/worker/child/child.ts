/**
 * The child's side of the fork: loads the handlers, runs one worker, answers pings, and exits when the supervisor asks, when the
 * supervisor is gone, or after an uncaught error. The supervisor renews its lease; the child fences itself when renewals stop
 * arriving.
 */
import type { Cancel, Clock } from '../../clock.ts'
import { type Engine, createEngine } from '../../engine/engine.ts'
import { createEvents } from '../../engine/events.ts'
import { WfError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Random } from '../../random.ts'
import type { Store } from '../../store/port.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { type ChildChannel, OutcomeReport, channelLog } from './channel.ts'
import { failureOf } from '../handler/load-failure.ts'
import { type LoadedHandler, declarationOf } from '../handler/loaded-handler.ts'
import type { ChildSetup, LeaveReason, ToChild } from '../ipc.ts'
import type { Upkeep } from '../leases/store-watch.ts'
import { type Worker, createWorker } from '../worker.ts'

export interface ChildOptions {
  channel: ChildChannel
  clock: Clock
  random: Random
  load(files: readonly string[]): Promise<ReadonlyMap<string, LoadedHandler>>
  openStore(location: string): Promise<Store>
  /** What runs beside the worker: statistics. */
  upkeep(parts: { engine: Engine; log: Logger }): readonly Upkeep[]
  /** Called before the first job is claimed. */
  watchParent(): void
  /** Ends the process. */
  exit(code: number): void
}

/** Shutdown after the supervisor is gone. */
const orphanTimes = { abortInMs: 0, graceMs: 3000, exitInMs: 4000 }
const closingMs = 500

export class Child {
  readonly #options: ChildOptions
  #worker: Worker | null = null
  #store: Store | null = null
  #upkeep: readonly Upkeep[] = []
  #outcomes: OutcomeReport | null = null
  readonly #lease: LeaseWatch
  #leaving = false
  #isOrphan = false
  #files: readonly string[] = []

  constructor(options: ChildOptions) {
    this.#options = options
    this.#lease = new LeaseWatch(options.clock, () => this.#worker?.fence())
    options.channel.onMessage((message) => this.#take(message))
    options.channel.onGone(() => this.#orphaned())
  }

  /** Handles an error that no handler caught. */
  panic(error: unknown): void {
    if (this.#worker) this.#worker.panic(error)
    else this.#loadFailed(failureOf(error, this.#files.join(', ')))
  }

  #take(message: ToChild): void {
    const worker = this.#worker
    if (message.kind === 'ping') void this.#options.channel.send({ kind: 'pong', id: message.id })
    else if (message.kind === 'setup')
      this.#setUp(message.setup).catch((error: unknown) => this.#loadFailed(error))
    else if (message.kind === 'go') this.#go()
    else if (message.kind === 'fence') worker?.fence()
    else if (message.kind === 'drain') this.#drain(message)
    else if (message.kind === 'stop') void worker?.stop().then(() => this.#leave('drained'))
    else if (message.kind === 'held') {
      this.#lease.held(message.leaseLeftMs)
      worker?.held(message.attempts)
    }
  }

  #go(): void {
    this.#options.watchParent()
    this.#worker?.start()
  }

  async #setUp(setup: ChildSetup): Promise<void> {
    const { channel, clock, random, load, openStore, upkeep } = this.#options
    this.#files = setup.files
    const [loaded, store] = await Promise.all([
      within(load(setup.files), setup, clock),
      openStore(setup.location),
    ])
    this.#store = store
    const handlers = handlersFor(loaded, setup)
    const events = createEvents()
    const engine = createEngine({ store, random, events, sizes: setup.sizes })
    const log = channelLog(channel, setup.logLevel)
    this.#outcomes = new OutcomeReport({ events, clock, channel })
    this.#outcomes.start()
    this.#upkeep = upkeep({ engine, log })
    for (const work of this.#upkeep) work.start()
    const { storeId } = await store.info()
    const { workerId, suspects, concurrency, maxJobs, countedAs } = setup
    const worker = createWorker({
      engine,
      clock,
      random,
      log,
      handlers,
      workerId,
      storeId,
      suspects,
      isolated: true,
      ...(concurrency === null ? {} : { concurrency }),
      ...(maxJobs === null ? {} : { maxJobs }),
      ...(countedAs === undefined ? {} : { countedAs }),
    })
    void worker.finished.then((reason) => this.#leave(reason))
    this.#worker = worker
    await this.#sendReady([...handlers.values()], concurrency)
  }

  #sendReady(handlers: readonly LoadedHandler[], concurrency: number | null): Promise<void> {
    const sum = handlers.reduce((total, handler) => total + handler.concurrency, 0)
    const policies = Object.fromEntries(handlers.map(({ type, policy }) => [type, policy]))
    return this.#options.channel.send({
      kind: 'ready',
      types: handlers.map(declarationOf),
      policies,
      concurrency: Math.min(concurrency ?? sum, sum),
    })
  }

  #loadFailed(error: unknown): void {
    if (this.#leaving) return
    this.#leaving = true
    const { code, message, hint } =
      error instanceof WfError ? error : new WfError('handler_load_failed', wordsOf(error))
    void this.#options.channel
      .send({ kind: 'load_failed', code, message, hint })
      .then(() => this.#options.exit(1))
  }

  #drain({ graceMs, abortInMs }: { graceMs: number; abortInMs: number }): void {
    void this.#worker?.drain({ graceMs, abortInMs }).then(() => this.#leave('drained'))
  }

  #orphaned(): void {
    const { clock, exit } = this.#options
    this.#isOrphan = true
    clock.after(orphanTimes.exitInMs, () => exit(1), { unref: true })
    if (this.#worker) void this.#worker.drain(orphanTimes).then(() => this.#leave('orphaned'))
    else exit(1)
  }

  /** Reports what is left and exits, at the latest after 500 ms. */
  async #leave(reason: LeaveReason): Promise<void> {
    if (this.#leaving) return
    this.#leaving = true
    const { clock, channel, exit } = this.#options
    const exitCode = reason === 'panic' || this.#isOrphan ? 1 : 0
    clock.after(closingMs, () => exit(exitCode))
    this.#lease.end()
    this.#outcomes?.send()
    await channel.send({ kind: 'leaving', reason, exitCode })
    await Promise.allSettled(this.#upkeep.map((work) => work.stop()))
    await this.#store?.close()
    exit(exitCode)
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Rejects if the modules are not loaded in time. The supervisor kills a process whose module never yields. */
export function within<T>(
  loading: Promise<T>,
  { files, loadMs }: Pick<ChildSetup, 'files' | 'loadMs'>,
  clock: Clock,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () => {
      const hint = 'a handler module defines handlers and returns: it must not wait forever at its top level'
      reject(
        new WfError(
          'handler_load_failed',
          `loading ${files.join(', ')} took longer than ${loadMs / 1000} s`,
          { hint },
        ),
      )
    }
    const cancel = clock.after(loadMs, tooLate)
    loading.then(resolve, reject).finally(cancel)
  })
}

export function handlersFor(
  loaded: ReadonlyMap<string, LoadedHandler>,
  { types }: Pick<ChildSetup, 'types'>,
): ReadonlyMap<string, LoadedHandler> {
  if (types.length === 0) return loaded
  const missing = types.filter((type) => !loaded.has(type))
  if (missing.length > 0) {
    const message = `no handler for ${missing.map((type) => JSON.stringify(type)).join(', ')} was loaded`
    throw new WfError('handler_load_failed', message, {
      hint: didYouMean(
        nearWords(missing, [...loaded.keys()]),
        `these were: ${[...loaded.keys()].join(', ')}`,
      ),
    })
  }
  return new Map([...loaded].filter(([type]) => types.includes(type)))
}

/** After a blocked event loop, timers fire before messages are read; messages that arrived meanwhile get this long. */
const readingMs = 100

/** Calls `onOver` when no renewal arrived until the end of the lease: the supervisor hangs or is stopped. */
export class LeaseWatch {
  readonly #clock: Clock
  readonly #onOver: () => void
  #cancel: Cancel = () => {}
  #goodUntil = Number.POSITIVE_INFINITY

  constructor(clock: Clock, onOver: () => void) {
    this.#clock = clock
    this.#onOver = onOver
  }

  held(leaseLeftMs: number): void {
    this.#goodUntil = this.#clock.monotonic() + leaseLeftMs
    this.#wait(leaseLeftMs)
  }

  end(): void {
    this.#cancel()
  }

  #wait(ms: number): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, () => this.#look(), { unref: true })
  }

  #look(): void {
    const seen = this.#goodUntil
    this.#cancel = this.#clock.after(
      readingMs,
      () => {
        if (this.#goodUntil === seen) this.#onOver()
      },
      { unref: true },
    )
  }
}
