/** What a supervisor looks after again and again: children that hang, suspects that wait, a store that is empty. */
import type { Clock } from '../../clock.ts'
import { isStoreGone } from '../../errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import { drainTimes } from '../drain.ts'
import { Quarantine } from './quarantine.ts'
import type { ChildSetup } from '../ipc.ts'
import { Silences } from './unresponsive.ts'
import type { SupervisedChild } from './supervisor-child.ts'
import type { Crew } from './process-pool.ts'

export interface RoundsOptions {
  engine: Engine
  clock: Clock
  log: Logger
  crew: Crew
  setup: Pick<ChildSetup, 'countedAs'>
  hangMs: number
  graceMs: number
  isEmpty: ((types: readonly string[]) => Promise<boolean>) | null
  onQuarantine(): void
  onEmpty(): void
}

const emptyEveryMs = 200
const restsPerWork = 20
/** Of a child's silence until it is told, unless the patience with it is shorter. */
const tellMs = 3000

export class SupervisorRounds {
  readonly #options: RoundsOptions
  readonly #quarantine: Quarantine
  readonly #silences: Silences

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#quarantine = new Quarantine(options.engine.store)
    const { setup, hangMs } = options
    this.#silences = new Silences({
      ...options,
      countedAs: setup.countedAs,
      tellMs: Math.min(tellMs, hangMs / 2),
    })
  }

  /** Until `ended`. */
  run(ended: AbortSignal): void {
    const tickMs = Math.min(1000, this.#options.hangMs / 4)
    let lookedAt = this.#options.clock.monotonic()
    const pulse = async () => {
      const now = this.#options.clock.monotonic()
      const passedMs = now - lookedAt
      lookedAt = now
      for (const child of this.#options.crew.children) await this.#feel(child, passedMs, tickMs)
    }
    void this.#repeat('looking after the processes', { everyMs: tickMs, ended, round: pulse })
    void this.#repeat('looking for suspects', { everyMs: tickMs, ended, round: () => this.#confine() })
    if (this.#options.isEmpty)
      void this.#repeat('looking for jobs that are left', {
        everyMs: emptyEveryMs,
        ended,
        round: () => this.#isDone(),
      })
  }

  async #repeat(
    what: string,
    { everyMs, ended, round }: { everyMs: number; ended: AbortSignal; round: () => Promise<void> },
  ): Promise<void> {
    const { clock, log } = this.#options
    let failing = false
    while (!ended.aborted) {
      const begunAt = clock.monotonic()
      try {
        await round()
        failing = false
      } catch (error) {
        if (!failing && !ended.aborted && !isStoreGone(error))
          log.warn(`${what} failed; trying again: ${error instanceof Error ? error.message : String(error)}`)
        failing = true
      }
      // A look that takes long, because much is there, is taken less often.
      await clock.sleep(Math.max(everyMs, restsPerWork * (clock.monotonic() - begunAt)), ended)
    }
  }

  async #feel(child: SupervisedChild, passedMs: number, tickMs: number): Promise<void> {
    if (child.phase !== 'working') return
    const ping = child.pulse.tick(passedMs, tickMs)
    if (ping !== null) child.process.send({ kind: 'ping', id: ping })
    else if (child.pulse.silentMs >= this.#options.hangMs && (await this.#isOverdue(child)))
      child.kill('hung')
    await this.#silences.heed(child)
  }

  /** Whether everything that it runs should have ended long ago. */
  async #isOverdue(child: SupervisedChild): Promise<boolean> {
    const { engine, crew, hangMs } = this.#options
    const jobs = await engine.store.running(child.id)
    const now = engine.store.now()
    return jobs.every(
      (job) => now - (job.startedAt ?? now) >= (crew.declarations.get(job.type)?.timeoutMs ?? 0) + hangMs,
    )
  }

  async #confine(): Promise<void> {
    const { crew, clock, onQuarantine } = this.#options
    const child = [...crew.children].find(({ suspects }) => suspects) ?? null
    const types = [...crew.declarations.keys()]
    const verdict = await this.#quarantine.look({
      types,
      workerId: child?.id ?? null,
      now: clock.monotonic(),
    })
    if (verdict === 'start') onQuarantine()
    else if (verdict === 'end' && child?.phase === 'working') this.#dismiss(child)
  }

  #dismiss(child: SupervisedChild): void {
    const { graceMs, abortInMs } = drainTimes(this.#options.graceMs)
    child.drain(graceMs, abortInMs)
  }

  async #isDone(): Promise<void> {
    const types = [...this.#options.crew.declarations.keys()]
    if (await this.#options.isEmpty?.(types)) this.#options.onEmpty()
  }
}
