/** What supervisor and child say to each other over the fork's channel. Plain data only. */
import type { LogFields, LogLevel } from '../logger.ts'
import type { ErrorCode } from '../errors.ts'
import type { SizeLimits } from '../domain/job.ts'
import type { Policy } from '../domain/outcome.ts'
import type { OutcomeCounts } from './outcome-counts.ts'
import type { TypeDeclaration } from '../store/views.ts'

export type ToChild =
  /** The first message: what to load and how to work. Answered by `ready` or `load_failed`. */
  | { kind: 'setup'; setup: ChildSetup }
  /** The worker's row is there: claim. */
  | { kind: 'go' }
  | { kind: 'ping'; id: number }
  /** No new starts; handlers may finish; abort at `abortInMs`, give back what is unfinished and exit by `graceMs`. */
  | { kind: 'drain'; graceMs: number; abortInMs: number }
  /** Give everything back now and exit. */
  | { kind: 'stop' }
  /** After a renewal: the attempts that this child still holds, and for how many ms. What it runs beyond them has lost its lease. Ends a fence. */
  | { kind: 'held'; attempts: readonly { jobKey: number; attempt: number }[]; leaseLeftMs: number }
  /** No lease could be renewed in time: abort what runs and claim nothing until `held`. */
  | { kind: 'fence' }

export interface ChildSetup {
  /** Absolute paths of handler modules. */
  files: readonly string[]
  workerId: string
  /** What metrics call it; its id without the incarnation unless told. */
  countedAs?: string
  /** Only these of the loaded types; all when empty. */
  types: readonly string[]
  /** Jobs at once over all types; null for the sum of the types' own numbers. */
  concurrency: number | null
  /** Leave after this many jobs; null for never. */
  maxJobs: number | null
  /** Take only suspects. */
  suspects: boolean
  /** Where the store is; the rest of its settings the child reads as its supervisor did. */
  location: string
  logLevel: LogLevel
  sizes: SizeLimits
  /** Loading may take so long. */
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
  /** What the attempts so far came to. Sent with the first one and then a few times a second at most. */
  | { kind: 'tally'; tally: OutcomeCounts }
  /** The child ends on purpose: drained, max-jobs reached, recycled after abandoned handlers or a panic. */
  | { kind: 'leaving'; reason: LeaveReason; exitCode: number }
  /** One line for the supervisor's log. */
  | { kind: 'log'; level: LogLevel; message: string; fields: LogFields; bound: LogFields }

export type LeaveReason =
  | 'drained'
  | 'empty'
  | 'max_jobs'
  | 'abandoned'
  | 'panic'
  | 'orphaned'
  | 'quarantine_done'
