/** What all actions share. An action is something a person can do: planned, previewed, applied and recorded as one operation. */
import type { Clock } from '../../clock.ts'
import type { Engine } from '../engine.ts'

export interface ActionContext {
  readonly engine: Engine
  readonly clock: Clock
  /** Recorded as the actor: `user@host`, or the name of a program. */
  readonly who: string
}

/** How an action that takes batches runs. */
export interface Run<T> {
  /** Targets per second (default: as fast as other writers leave room). */
  perSecond?: number | undefined
  /** Stops between two batches. */
  signal?: AbortSignal | undefined
  /** Receives the id of the operation before anything changes. */
  onBegin?: ((operation: number) => void) | undefined
  onBatch?: ((results: readonly T[]) => void) | undefined
}
