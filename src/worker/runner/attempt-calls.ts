/** What one attempt does through its context beside its job: calls of dependencies, and steps that it can do without. */
import type { Clock } from '../../clock.ts'
import { preview } from '../../text/preview.ts'
import type { CallScope } from '../../resilience/dependency.ts'
import { dependencyNamed, type HandlerDependencies } from '../../resilience/dependencies.ts'
import { optional } from '../../resilience/timeout.ts'
import { type Attempt, refuseWhenOver } from './attempt.ts'
import type { DependencyCall } from '../handler/define-handler.ts'
import type { AttemptServices } from './attempt-services.ts'

const none: HandlerDependencies = new Map()
const longestFeature = 100

export class AttemptCalls implements CallScope {
  readonly #attempt: Attempt
  readonly #services: AttemptServices
  readonly #clock: Clock

  constructor(attempt: Attempt, services: AttemptServices, clock: Clock) {
    this.#attempt = attempt
    this.#services = services
    this.#clock = clock
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  timeLeftMs(): number {
    return Math.max(0, this.#attempt.abortAt - this.#clock.monotonic())
  }

  onRetry(dependency: string): void {
    this.#services.retried(this.#attempt.job, dependency)
  }

  onFailure(dependency: string, error: unknown): void {
    this.#attempt.failedCalls ??= new Map()
    this.#attempt.failedCalls.set(dependency, error)
  }

  async call<T>(dependency: string, fn: DependencyCall<T>): Promise<T> {
    refuseWhenOver(this.#attempt, 'call nothing')
    const { type } = this.#attempt.job
    const counted: DependencyCall<T> = (signal) => {
      this.#attempt.callsMade++
      return fn(signal)
    }
    return dependencyNamed(this.#services.declared.get(type) ?? none, dependency, type).call(counted, this)
  }

  async optional<T>(feature: string, fn: DependencyCall<T>): Promise<T | undefined> {
    if (this.#attempt.over) return undefined
    const name =
      typeof feature === 'string' && feature !== ''
        ? feature.slice(0, longestFeature)
        : preview(feature, longestFeature)
    return optional(name, fn, {
      clock: this.#clock,
      signal: this.signal,
      timeLeftMs: () => this.timeLeftMs(),
      onDegraded: (failed, thrown) => this.#services.degraded(this.#attempt.job, failed, thrown),
    })
  }
}
