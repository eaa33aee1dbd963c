/** Messages between the supervisor and a child process. Plain data only. */
import type { LogFields, LogLevel } from '../logger.ts'
import type { ErrorCode } from '../errors.ts'
import type { SizeLimits } from '../domain/job.ts'
import type { Policy } from '../domain/outcome.ts'
import type { OutcomeCounts } from './outcome-counts.ts'
import type { TypeDeclaration } from '../store/views.ts'

export type ToChild =
  /** The first message. Answered by `ready` or `load_failed`. */
  | { kind: 'setup'; setup: ChildSetup }
  /** The worker's row exists: start claiming. */
  | { kind: 'go' }
  | { kind: 'ping'; id: number }
  /** No job starts; handlers may finish, are aborted after `abortInMs`, and their jobs given back after `graceMs`. */
  | { kind: 'drain'; graceMs: number; abortInMs: number }
  /** Give everything back now and exit. */
  | { kind: 'stop' }
  /** After a renewal: the attempts that the child holds, and for how many ms. Other running attempts lost their lease. Ends a fence. */
  | { kind: 'held'; attempts: readonly { jobKey: number; attempt: number }[]; leaseLeftMs: number }
  /** The lease was not renewed in time: abort what runs and claim nothing until `held`. */
  | { kind: 'fence' }

export interface ChildSetup {
  /** Absolute paths of handler modules. */
  files: readonly string[]
  workerId: string
  /** Name of the worker in metrics (default: its id without the incarnation). */
  countedAs?: string
  /** Only these of the loaded types; all when empty. */
  types: readonly string[]
  /** Jobs that may run at once over all types; null for the sum of the types' own numbers. */
  concurrency: number | null
  /** Shut down after this many jobs; null for never. */
  maxJobs: number | null
  /** Claim only suspects. */
  suspects: boolean
  /** Location of the store; the child reads its other settings as the supervisor did. */
  location: string
  logLevel: LogLevel
  sizes: SizeLimits
  /** Limit of loading the modules. */
  loadMs: number
}

export type ToSupervisor =
  | {
      kind: 'ready'
      types: readonly TypeDeclaration[]
      policies: Readonly<Record<string, Policy>>
      concurrency: number
    }
  | { kind: 'load_failed'; code: ErrorCode; message: string; hint: string }
  | { kind: 'pong'; id: number }
  /** Outcomes of all attempts so far. Sent with the first one, then a few times a second at most. */
  | { kind: 'outcomes'; counts: OutcomeCounts }
  /** The child exits on purpose. */
  | { kind: 'leaving'; reason: LeaveReason; exitCode: number }
  /** A line for the supervisor's log. */
  | { kind: 'log'; level: LogLevel; message: string; fields: LogFields; bound: LogFields }

export type LeaveReason =
  | 'drained'
  | 'empty'
  | 'max_jobs'
  | 'abandoned'
  | 'panic'
  | 'orphaned'
  | 'quarantine_done'
