/**
 * The child processes of a supervisor and their rows: forks and registers them, and settles what a process held when it is gone. The
 * supervisor decides which are replaced.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Job } from '../../domain/job.ts'
import type { Outcome, Policy } from '../../domain/outcome.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EngineEventMap } from '../../engine/events.ts'
import { isStoreGone, WfError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { TypeDeclaration } from '../../store/views.ts'
import type { ChildSetup } from '../ipc.ts'
import { lineOf } from '../job-messages.ts'
import type { LeaseManager } from '../leases/lease-manager.ts'
import { hung, interrupted, lost, settleHeld } from '../leases/settle-lost.ts'
import { type OutcomeCounts, count, outcomeKey, sumOf } from '../outcome-counts.ts'
import { type ChildExit, type ForkChild, exitText } from './child-process.ts'
import { SupervisedChild } from './supervised-child.ts'

/** A position that one child process after another fills. */
export interface Post {
  name: string
  suspects: boolean
}

export interface ProcessPoolOptions {
  engine: Engine
  leases: LeaseManager
  clock: Clock
  log: Logger
  fork: ForkChild
  /** First part of every worker id. */
  label: string
  host: string
  /** The set-up of every child; the quarantine process runs one job at a time. */
  setup: Omit<ChildSetup, 'workerId' | 'suspects'>
  /** Filled from what children declare; shared with the lease manager. */
  policies: Map<string, Policy>
  onOutcomes(): void
}

export class ProcessPool {
  readonly children = new Set<SupervisedChild>()
  readonly declarations = new Map<string, TypeDeclaration>()
  /** Ends every wait for the store. */
  readonly #ended = new AbortController()
  readonly #options: ProcessPoolOptions
  /** Outcomes of processes that are gone. */
  #past: OutcomeCounts = {}
  /** Outcomes that the supervisor settled itself: losses. */
  readonly #own: OutcomeCounts = {}
  /** Processes whose attempts are being settled. */
  #settling = 0

  constructor(options: ProcessPoolOptions) {
    this.#options = options
    options.engine.events.on('settled', (settled) => this.#tell(settled))
  }

  /** Whether no process runs and none is being settled. */
  get isEmpty(): boolean {
    return this.children.size === 0 && this.#settling === 0
  }

  /** Outcomes of all attempts so far. */
  get counts(): OutcomeCounts {
    return sumOf([this.#past, this.#own, ...[...this.children].map(({ counts }) => counts)])
  }

  spawn(post: Post): SupervisedChild {
    const { fork, label, setup, clock, log, onOutcomes } = this.#options
    const workerId = `${label}.${post.name}#${randomBytes(4).toString('hex')}`
    const own = {
      ...setup,
      workerId,
      suspects: post.suspects,
      concurrency: post.suspects ? 1 : setup.concurrency,
    }
    const child = new SupervisedChild({
      process: fork(),
      setup: own,
      post: post.name,
      clock,
      log,
      onOutcomes,
    })
    this.children.add(child)
    return child
  }

  /** Waits until it has loaded, and makes its row. Rejects when it cannot load. False: it is gone meanwhile. */
  async enlist(child: SupervisedChild): Promise<boolean> {
    const { leases, policies, host, label } = this.#options
    const { types, policies: told, concurrency } = await child.ready
    for (const declaration of types) this.declarations.set(declaration.type, declaration)
    for (const [type, policy] of Object.entries(told)) policies.set(type, policy)
    const row = {
      id: child.id,
      label,
      pid: child.process.pid,
      host,
      startedAt: this.#options.clock.now(),
      concurrency,
      types: types.map(({ type }) => type),
      quarantine: child.suspects,
    }
    const held = child.held.bind(child)
    await this.#stored('registering a worker', async () => {
      await leases.declare(types)
      await leases.register({ row, held, fence: () => child.fence() })
    })
    if (child.phase !== 'gone') return true
    await this.#stored('retiring a worker', () => leases.retire(child.id))
    return false
  }

  /** Settles what a child that is gone still held; answers those jobs. */
  async settleGone(child: SupervisedChild, exit: ChildExit): Promise<readonly Job[]> {
    const { engine, leases, policies } = this.#options
    this.#settling++
    this.children.delete(child)
    this.#past = sumOf([this.#past, child.counts])
    leases.forget(child.id)
    const outcome = (job: Job, all: readonly Job[]) =>
      this.#outcomeOf(child, exit, all.length === 1 ? job : null)
    const jobs = await this.#stored('giving back the jobs of a process that ended', async () => {
      const held = await settleHeld({ engine, workerId: child.id, policies, outcome })
      await leases.retire(child.id)
      return held
    })
    this.#settling--
    return jobs ?? []
  }

  /** Stops trying to store what is left. */
  abandon(): void {
    this.#ended.abort()
  }

  /** Counts what the supervisor or its sweeper settled, and logs jobs that stop with an incident. */
  #tell({ settlement, result, end, now }: EngineEventMap['settled']): void {
    if (result === 'stale') return
    count(this.#own, outcomeKey(settlement, result))
    if (!settlement.incident) return
    const { level, message, fields } = lineOf({ settlement, result, now, durationMs: end.durationMs })
    this.#options.log[level](message, fields)
  }

  #outcomeOf(child: SupervisedChild, exit: ChildExit, only: Job | null): Outcome {
    if (child.killed === 'hung' && only) return hung(this.declarations.get(only.type)?.timeoutMs ?? 0)
    if (child.killed === 'hung') return lost('worker_died', 'its process did not answer and was killed')
    if (child.killed === 'overdue' || child.leaving) return interrupted('shutdown')
    return lost('worker_died', `process ${child.process.pid} ${exitText(exit)}`)
  }

  #stored<T>(what: string, action: () => Promise<T>): Promise<T | null> {
    return retryUntilStored({
      what,
      action,
      clock: this.#options.clock,
      log: this.#options.log,
      ended: this.#ended.signal,
    })
  }
}

export interface RetryUntilStored<T> {
  /** For the log: `registering a worker`. */
  what: string
  /** Safe to repeat. */
  action: () => Promise<T>
  clock: Clock
  log: Logger
  /** Gives up, also on an action that never settles. */
  ended: AbortSignal
}

const retryMs = 500

/** Retries `action` while the store is locked, full or missing. Resolves with null when `ended` aborts. Never rejects. */
export async function retryUntilStored<T>({
  what,
  action,
  clock,
  log,
  ended,
}: RetryUntilStored<T>): Promise<T | null> {
  for (let tries = 1; !ended.aborted; tries++) {
    try {
      return await orEnded(action(), ended)
    } catch (error) {
      if (tries === 1 && !isStoreGone(error))
        log.warn(
          `${what} did not work yet; trying again: ${error instanceof Error ? error.message : String(error)}`,
        )
      await clock.sleep(retryMs, ended)
    }
  }
  return null
}

function orEnded<T>(promise: Promise<T>, ended: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    ended.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => ended.removeEventListener('abort', stop))
  })
}

/** The supervisor gives up after this many deaths within `windowMs` without a settled job between them. */
export const giveUp = { deaths: 5, windowMs: 60_000 }

const firstDelayMs = 250
const longestDelayMs = 30_000

/** Decides when a dead process is replaced, and when to give up. */
export class Restarts {
  readonly #clock: Clock
  #deaths: number[] = []
  #inRow = 0
  #done = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Forgets the deaths when more work is done than before. `done` counts settled attempts; without it, one was. */
  worked(done = this.#done + 1): void {
    if (done <= this.#done) return
    this.#done = done
    this.#deaths = []
    this.#inRow = 0
  }

  /** Returns milliseconds until the replacement may start: 0 the first time, then 250 ms doubling to 30 s. Null: give up. */
  died(): number | null {
    const now = this.#clock.monotonic()
    this.#deaths = [...this.#deaths.filter((at) => now - at < giveUp.windowMs), now]
    if (this.#deaths.length >= giveUp.deaths) return null
    const delay = this.#inRow === 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#inRow - 1))
    this.#inRow++
    return delay
  }
}

/** Returns milliseconds until the process is replaced, or why it is not. */
export function restartDelay(
  { leaving, declared, suspects, killed }: SupervisedChild,
  restarts: Restarts,
  patient: boolean,
): number | 'never' | 'give up' {
  // A suspect may kill the quarantine process; the monitor starts the next one if suspects are due.
  if (suspects) return leaving === null && declared === null && restarts.died() === null ? 'give up' : 'never'
  if (leaving === 'max_jobs') return 'never'
  // Ended by `reload`, or to be replaced.
  if (killed === 'overdue' || leaving === 'drained' || leaving === 'abandoned') return 0
  if (patient && declared === null) return 'never'
  return restarts.died() ?? 'give up'
}

/** The error of a supervisor that gives up. */
export function gaveUp(): WfError {
  const { deaths, windowMs } = giveUp
  const message = `${deaths} worker processes ended within ${windowMs / 1000} s without finishing a single job`
  return new WfError('unexpected', message, {
    hint: 'the lines above say how they ended; run wf run-worker --inline with one job to see the error',
  })
}
