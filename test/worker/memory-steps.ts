/** Keeps steps in memory by the rules of a store's: the first result wins, an intent without a result is unknown. */
import { type BegunStep, checkStepName, type CompletedStep } from '../../src/domain/step.ts'
import type { Fence } from '../../src/domain/job.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import type { StepStore } from '../../src/worker/runner/attempt-services.ts'

export class MemorySteps implements StepStore {
  readonly clock: FakeClock
  /** JSON text by job and step; null: begun. */
  readonly rows = new Map<string, string | null>()
  /** What was asked, in order. */
  readonly asked: string[] = []
  /** Thrown by the next calls, one each. */
  readonly failures: Error[] = []
  /** The attempt is not the job's any more. */
  stale = false

  constructor(clock: FakeClock) {
    this.clock = clock
  }

  async beginStep({ jobKey }: Fence, step: string): Promise<BegunStep> {
    this.#ask(`begin ${step}`)
    checkStepName(step)
    if (this.stale) return { intent: 'stale' }
    const row = this.rows.get(`${jobKey} ${step}`)
    this.rows.set(`${jobKey} ${step}`, row ?? null)
    if (row === undefined) return { intent: 'new' }
    return row === null ? { intent: 'unknown' } : { result: row }
  }

  async completeStep({ jobKey }: Fence, step: string, result: string): Promise<CompletedStep> {
    this.#ask(`complete ${step}`)
    if (this.stale) return { intent: 'stale' }
    const kept = this.rows.get(`${jobKey} ${step}`) ?? result
    this.rows.set(`${jobKey} ${step}`, kept)
    return { result: kept }
  }

  async withdrawStep({ jobKey }: Fence, step: string): Promise<void> {
    this.#ask(`withdraw ${step}`)
    if (!this.stale && this.rows.get(`${jobKey} ${step}`) === null) this.rows.delete(`${jobKey} ${step}`)
  }

  #ask(what: string): void {
    this.asked.push(what)
    const failure = this.failures.shift()
    if (failure) throw failure
  }
}
