/** The events of the history: every transition that is not an attempt. Their spellings are stored and never change. */
import type { ResolutionEvent } from '../domain/resolution.ts'

/** What happened, with the fields of its `detail`. Written by plans alone (engine/plans). */
export type HistoryEvent =
  /** The ways out of a stop, and changes of a waiting job. `detail` has what changed. */
  | { event: ResolutionEvent; detail: Readonly<Record<string, unknown>> }
  | { event: 'undone'; detail: { operation: number; from: string; to: string } }
  | { event: 'dead_letter_purged'; detail: null }
  | { event: 'steps_forgotten'; detail: { steps: readonly string[] } }
  | { event: 'type_paused'; detail: { type: string; untilAt?: number; undoes?: number } }
  | { event: 'type_resumed'; detail: { type: string; undoes?: number } }
  | { event: 'breaker_opened' | 'breaker_closed'; detail: BreakerTurn }
  | { event: 'worker_drained'; detail: { worker: string } }
  | { event: 'worker_released'; detail: ReleasedWorker }

export interface BreakerTurn {
  breaker: string
  from: 'closed' | 'half_open' | 'open'
  to: 'closed' | 'half_open' | 'open'
  generation: number
  by: 'calls' | 'operator'
  /** Epoch ms at which an open breaker lets probes through. */
  untilAt?: number
}

/** The row of the worker as it was; only its id and `forced` if it had none. */
export interface ReleasedWorker {
  worker: string
  label?: string
  pid?: number
  host?: string
  leaseUntil?: number
  /** True: released without a check whether it still lives. */
  forced: boolean
}

export type NewHistoryRow = HistoryEvent & {
  /** Null for an event of a type, breaker or worker. */
  jobKey: number | null
  /** Epoch ms. */
  at: number
  who: string
  reason: string | null
}
