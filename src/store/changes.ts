/** What plans may write: a closed set of rows for each table. Every instant is epoch ms. A store has one `apply(changes)`. */
import type { LocalBreaker, NamedBreaker } from '../domain/breaker-row.ts'
import type { JobImage, NewOperation, NewTarget, PauseImage, TargetName } from '../domain/operation.ts'
import type { NewIncident } from '../domain/outcome.ts'
import type { NewHistoryRow } from './event.ts'
import type { TypeDeclaration, WorkerRow } from './views.ts'

/** One row of each set, in the order in which the sets are applied. */
export interface ChangedRows {
  /** Replaces these columns of a job that does not run afterwards, so that its claim ends. */
  jobs: JobImage & { key: number }
  /** JSON text. */
  variables: { jobKey: number; text: string }
  effectsEpochs: { jobKey: number; epoch: number }
  /** Deletes one step, or every step of a job (null). */
  removedSteps: { jobKey: number; step: string | null }
  openedIncidents: { jobKey: number; type: string; attempt: number; incident: NewIncident; at: number }
  /** Closes the open incident of a job. */
  closedIncidents: Closing
  /** Ids. */
  reopenedIncidents: number
  /** Closes the open dead letter of a job. */
  closedDeadLetters: Closing
  /** Keys of their jobs. */
  reopenedDeadLetters: number
  removedDeadLetters: number
  declaredTypes: TypeDeclaration & { at: number }
  /** Creates the row of the type if there is none. */
  pauses: PauseImage & { type: string }
  /** Starts a ramp: `started` jobs have been let go since `at`. */
  ramps: { type: string; at: number; started: number }
  rampStarts: { type: string; count: number }
  badStreaks: { type: string; badStreak: number }
  breakers: NamedBreaker
  workers: WorkerRow
  workerStates: { id: string; state: WorkerRow['state'] }
  workerBreakers: { id: string; breakers: readonly LocalBreaker[] }
  /** Ids. Attempts that they hold expire at once. */
  retiredWorkers: string
  /** With an id of `Facts.operationIds`. */
  operations: NewOperation & { id: number; at: number }
  /** Counted in their operation. A target that exists already and isn't pending stays as it is. */
  targets: NewTarget & { operation: number; at: number }
  undoneTargets: TargetName & { operation: number; by: number }
  endedOperations: { id: number; at: number }
  /** `hasChanged`: the undo brought something back; otherwise an earlier undo stays the one that is named. */
  undoneOperations: { id: number; by: number; hasChanged: boolean }
  history: NewHistoryRow
}

export type Changes = { readonly [K in keyof ChangedRows]?: readonly ChangedRows[K][] }

export interface Closing {
  jobKey: number
  who: string
  /** The verb. */
  resolution: string
  reason: string | null
  at: number
}
