/**
 * The port's part about operations: what people changed, kept with its targets. A target's row is written in the
 * transaction of the change itself, by the method that makes it (`resolve`, `pauseTypes`, `changeBreaker` …) when it is
 * told an operation; what is here begins, ends, reads and takes back.
 */
import type {
  NewOperation,
  NewTarget,
  Operation,
  OperationFilter,
  OperationTarget,
  TargetName,
  Undone,
} from '../domain/operation.ts'
import type { Page, Paged } from './port.ts'

export interface PauseChange {
  /** False: jobs of the types may start again. */
  paused: boolean
  reason: string | null
  who: string
  /** Of a pause: epoch ms at which it ends by itself. Null or not given: somebody has to resume the types. */
  untilAt?: number | null
  /** What became of each is written as a target of this operation. */
  operation?: number
}

/** A person's word that workers are dead. */
export interface WorkerRelease {
  who: string
  reason: string | null
  /** Nobody looked whether they live. */
  forced: boolean
  /** As in PauseChange. */
  operation?: number
}

/** A person's wish that workers drain. */
export type WorkerDrain = Omit<WorkerRelease, 'forced'>

export interface UndoBatch {
  /** The undo's own operation: its targets are written with what becomes of them. */
  operation: number
  /** The operation that is taken back. */
  of: number
  targets: readonly TargetName[]
  who: string
  reason: string | null
}

export interface OperationWriter {
  /** Answers its id, which grows. Throws a WfError `conflict` for an undo of what was undone already. */
  beginOperation(operation: NewOperation, now: number): Promise<number>
  /** Targets that no change of the store stands for: passed by, looked at, or meant and not reached (`pending`). One that is there already stays. */
  addOperationTargets(id: number, targets: readonly NewTarget[], now: number): Promise<void>
  /** Nothing more comes; answers it with its counts. */
  endOperation(id: number, now: number): Promise<Operation>
  /** Brings targets back where nothing has happened since, each for itself; in the order given. */
  undo(batch: UndoBatch, now: number): Promise<readonly Undone[]>
}

export interface OperationReader {
  /** Newest first. */
  operations(filter: OperationFilter, page: Page): Promise<Paged<Operation>>
  operation(id: number): Promise<Operation | null>
  /** By key, then by name. `undoable`: only those that it changed and that were not brought back; a job whose image has gone with it is told as one that is not kept. */
  operationTargets(id: number, page: Page, undoable?: boolean): Promise<Paged<OperationTarget>>
}
