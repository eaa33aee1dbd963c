/** The public entry `wfkit`: for handlers and producers. Everything else may change without notice. */
export { defineHandler } from './worker/handler/define-handler.ts'
export type {
  ActivatedJob,
  AnyHandler,
  ChildOptions,
  DependencyCall,
  Duration,
  Handler,
  HandlerContext,
  OnceOptions,
} from './worker/handler/define-handler.ts'
export type { BreakerOption, DependencyOption, RetryOption } from './resilience/dependency-policy.ts'
export type { StandardSchemaV1 } from './worker/handler/standard-schema.ts'
export {
  BusinessError,
  DeferError,
  IncidentError,
  NonRetryableError,
  PoisonError,
  RetryError,
} from './domain/handler-errors.ts'
export { WfError, type ErrorCode } from './errors.ts'
export type { BackoffOption } from './domain/backoff.ts'
export type { JobState, WaitReason } from './domain/job.ts'
export type { IncidentKind } from './domain/incident.ts'
export type { Logger } from './logger.ts'
export { openClient, PartlyEnqueuedError } from './client.ts'
export {
  PartlyChangedError,
  type ChangeOptions,
  type PurgeOptions,
  type ResolveOptions,
  type UndoOptions,
  type UpdateOptions,
} from './client/changes.ts'
export type {
  BreakersControl,
  DrainedWorkers,
  DrainOptions,
  PauseOptions,
  ReleasedWorkers,
  ReleaseOptions,
  StepsControl,
  TripOptions,
  TypesControl,
  WorkersControl,
} from './client/control.ts'
export type { VerifiedResolution, VerifyOptions } from './client/verified.ts'
export type {
  Client,
  ClientOptions,
  AcceptedJob,
  ClientWait,
  EnqueueItem,
  EnqueueManyResult,
  EnqueueOptions,
  JobHandle,
} from './client.ts'
export type { JobEnd } from './client/job-end.ts'
export type { InspectedCause } from './engine/causes.ts'
export type { Operation, OperationTarget, Undone } from './domain/operation.ts'
export type { Selector } from './domain/selector.ts'
export { normaliseMessage } from './domain/fingerprint.ts'
export type { Advice, Explanation } from './domain/explain-facts.ts'
export type { Applied, VariableChange } from './domain/resolution.ts'
export type { Verdict } from './domain/rerun-result.ts'
export { startWorker, type EmbeddedWorker, type StartWorkerOptions } from './start-worker.ts'
