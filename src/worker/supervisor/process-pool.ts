/**
 * The children of a supervisor and their rows: forks them, gives them their ids, registers them before they may claim,
 * and when one is gone settles what it still held. It does not decide who is replaced.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Job } from '../../domain/job.ts'
import type { Outcome, Policy } from '../../domain/outcome.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EngineEventMap } from '../../engine/events.ts'
import type { Logger } from '../../logger.ts'
import type { ChildExit, ForkChild } from './child-process.ts'
import { wordsOfExit } from './child-process.ts'
import { lineOf } from '../job-messages.ts'
import type { Keeper } from '../leases/lease-manager.ts'
import { hung, interrupted, lost, settleHeld } from '../leases/settle-lost.ts'
import type { ChildSetup } from '../ipc.ts'
import { SupervisedChild } from './supervisor-child.ts'
import { count, sumOf, outcomeKey, type OutcomeCounts } from '../outcome-counts.ts'
import { untilStored } from './until-stored.ts'
import type { TypeDeclaration } from '../../store/views.ts'

/** A position that one child after another fills. */
export interface Post {
  name: string
  suspects: boolean
}

export interface CrewOptions {
  engine: Engine
  keeper: Keeper
  clock: Clock
  log: Logger
  fork: ForkChild
  /** First part of every worker id. */
  label: string
  host: string
  /** What every child is told; a child of the quarantine runs one job at a time. */
  setup: Omit<ChildSetup, 'workerId' | 'suspects'>
  /** Filled from what children declare; shared with the keeper. */
  policies: Map<string, Policy>
  onTally(): void
}

export class Crew {
  readonly children = new Set<SupervisedChild>()
  readonly declarations = new Map<string, TypeDeclaration>()
  /** Ends every wait for the store. */
  readonly #ended = new AbortController()
  readonly #options: CrewOptions
  /** Of children that are gone. */
  #past: OutcomeCounts = {}
  /** What the supervisor settled itself: losses. */
  readonly #own: OutcomeCounts = {}
  /** Children whose attempts are being settled. */
  #burials = 0

  constructor(options: CrewOptions) {
    this.#options = options
    options.engine.events.on('settled', (settled) => this.#tell(settled))
  }

  /** Nobody is left, neither running nor unsettled. */
  get isEmpty(): boolean {
    return this.children.size === 0 && this.#burials === 0
  }

  /** What all attempts came to so far. */
  get tally(): OutcomeCounts {
    return sumOf([this.#past, this.#own, ...[...this.children].map(({ tally }) => tally)])
  }

  spawn(post: Post): SupervisedChild {
    const { fork, label, setup, clock, log, onTally } = this.#options
    const workerId = `${label}.${post.name}#${randomBytes(4).toString('hex')}`
    const own = {
      ...setup,
      workerId,
      suspects: post.suspects,
      concurrency: post.suspects ? 1 : setup.concurrency,
    }
    const child = new SupervisedChild({ process: fork(), setup: own, post: post.name, clock, log, onTally })
    this.children.add(child)
    return child
  }

  /** Waits until it has loaded, and makes its row. Rejects when it cannot load. False: it is gone meanwhile. */
  async enlist(child: SupervisedChild): Promise<boolean> {
    const { keeper, policies, host, label } = this.#options
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
      await keeper.declare(types)
      await keeper.register({ row, held, fence: () => child.fence() })
    })
    if (child.phase !== 'gone') return true
    await this.#stored('retiring a worker', () => keeper.retire(child.id))
    return false
  }

  /** Settles what a child that is gone still held; answers those jobs. */
  async bury(child: SupervisedChild, exit: ChildExit): Promise<readonly Job[]> {
    const { engine, keeper, policies } = this.#options
    this.#burials++
    this.children.delete(child)
    this.#past = sumOf([this.#past, child.tally])
    keeper.forget(child.id)
    const outcome = (job: Job, all: readonly Job[]) =>
      this.#outcomeOf(child, exit, all.length === 1 ? job : null)
    const jobs = await this.#stored('giving back the jobs of a process that ended', async () => {
      const held = await settleHeld({ engine, workerId: child.id, policies, outcome })
      await keeper.retire(child.id)
      return held
    })
    this.#burials--
    return jobs ?? []
  }

  /** Gives up on what could not be stored yet. */
  abandon(): void {
    this.#ended.abort()
  }

  /** What the supervisor or its sweeper settled; a job that stops by it is named. */
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
    return lost('worker_died', `process ${child.process.pid} ${wordsOfExit(exit)}`)
  }

  #stored<T>(what: string, action: () => Promise<T>): Promise<T | null> {
    return untilStored({
      what,
      action,
      clock: this.#options.clock,
      log: this.#options.log,
      ended: this.#ended.signal,
    })
  }
}
