/**
 * The child's side of the fork: loads the handlers, runs one worker, answers pings, and leaves when it is told to, when
 * its supervisor is gone, or when what it hosts has gone wrong. Its lease is kept by the supervisor; it only watches that
 * it hears of it. It does not know how the store is opened.
 */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { createEvents } from '../../engine/events.ts'
import type { Logger } from '../../logger.ts'
import type { Random } from '../../random.ts'
import type { Store } from '../../store/port.ts'
import type { ChildChannel } from './child-channel.ts'
import { channelLog } from './child-log.ts'
import { LeaseWatch } from './child-lease.ts'
import { TallyReport } from './child-outcome-counts.ts'
import { handlersFor, within } from './child-load.ts'
import type { Upkeep } from '../leases/lease-manager.ts'
import { failureOf } from '../handler/load-failure.ts'
import { declarationOf, type LoadedHandler } from '../handler/loaded-handler.ts'
import type { ChildSetup, LeaveReason, ToChild } from '../ipc.ts'
import { createWorker, type Worker } from '../worker.ts'

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

/** A supervisor that is gone cannot wait; neither can who wants the machine back. */
const orphanTimes = { abortInMs: 0, graceMs: 3000, exitInMs: 4000 }
const closingMs = 500

export class Child {
  readonly #options: ChildOptions
  #worker: Worker | null = null
  #store: Store | null = null
  #upkeep: readonly Upkeep[] = []
  #tally: TallyReport | null = null
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

  /** For what no handler caught. */
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
    this.#tally = new TallyReport({ events, clock, channel })
    this.#tally.start()
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
    await this.#sayReady([...handlers.values()], concurrency)
  }

  #sayReady(handlers: readonly LoadedHandler[], concurrency: number | null): Promise<void> {
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

  /** Writes what is left, says goodbye, and is gone soon whatever the store does. */
  async #leave(reason: LeaveReason): Promise<void> {
    if (this.#leaving) return
    this.#leaving = true
    const { clock, channel, exit } = this.#options
    const exitCode = reason === 'panic' || this.#isOrphan ? 1 : 0
    clock.after(closingMs, () => exit(exitCode))
    this.#lease.end()
    this.#tally?.send()
    await channel.send({ kind: 'leaving', reason, exitCode })
    await Promise.allSettled(this.#upkeep.map((work) => work.stop()))
    await this.#store?.close()
    exit(exitCode)
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
