/** What plans may read: closed sets of rows by key. A store reads each set in key order, and locks the rows if it has row locks. */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { DeadLetter } from '../domain/dead-letter.ts'
import type { Incident } from '../domain/incident.ts'
import type { Job } from '../domain/job.ts'
import type { Operation, OperationTarget, PauseImage, TargetName } from '../domain/operation.ts'
import type { WorkerView } from './views.ts'

export interface FactSets {
  /** Keys. */
  jobs?: readonly number[]
  /** Keys of jobs whose variables are needed. */
  variables?: readonly number[]
  /** Keys of jobs whose incidents are needed. */
  incidents?: readonly number[]
  /** Keys of their jobs. */
  deadLetters?: readonly number[]
  /** Keys of jobs whose steps and effects epoch are needed. */
  effects?: readonly number[]
  types?: readonly string[]
  breakers?: readonly string[]
  workers?: readonly string[]
  operations?: readonly number[]
  targets?: readonly TargetKey[]
}

export interface FactsRequest extends FactSets {
  /** How many ids of new operations are needed. */
  operationIds?: number
}

/** A row that was not requested, or does not exist, has no entry. */
export interface Facts {
  readonly jobs: ReadonlyMap<number, Job>
  /** JSON text. */
  readonly variables: ReadonlyMap<number, string>
  /** Oldest first. */
  readonly incidents: ReadonlyMap<number, readonly IncidentFact[]>
  readonly deadLetters: ReadonlyMap<number, DeadLetter>
  readonly effects: ReadonlyMap<number, EffectsFact>
  readonly types: ReadonlyMap<string, TypeFact>
  readonly breakers: ReadonlyMap<string, NamedBreaker>
  readonly workers: ReadonlyMap<string, WorkerView>
  readonly operations: ReadonlyMap<number, Operation>
  /** By `targetName`. */
  readonly targets: ReadonlyMap<string, OperationTarget>
  readonly operationIds: readonly number[]
}

export type IncidentFact = Pick<Incident, 'id' | 'resolvedAt'>

export interface EffectsFact {
  /** How often a person asked for the effects of the job to be made anew. */
  epoch: number
  /** Names. */
  steps: readonly string[]
}

export interface TypeFact extends PauseImage {
  /** Epoch ms at which the last pause ended. */
  resumedAt: number | null
  /** Jobs started since then, as far as they are limited. */
  resumedStarts: number
}

export type TargetKey = TargetName & { operation: number }

export const targetName = ({ operation, jobKey, name }: TargetKey): string => `${operation} ${jobKey} ${name}`
