/** What supervisor and child say to each other over the fork's channel. Plain data only. */
import type { Policy } from '../domain/outcome.ts'
import type { TypeDeclaration } from '../store/store.ts'

export type ToChild =
  | { kind: 'ping'; id: number }
  /** No new starts; handlers may finish; abort at `abortInMs`, give back what is unfinished and exit by `graceMs`. */
  | { kind: 'drain'; graceMs: number; abortInMs: number }
  /** Give everything back now and exit. */
  | { kind: 'stop' }
  /** After a renewal: the attempts that this child still holds. What it runs beyond them has lost its lease. */
  | { kind: 'held'; attempts: readonly { jobKey: number; attempt: number }[] }

export type ToSupervisor =
  | { kind: 'ready'; types: readonly TypeDeclaration[]; policies: Readonly<Record<string, Policy>>; concurrency: number }
  | { kind: 'load_failed'; message: string }
  | { kind: 'pong'; id: number }
  /** The child ends on purpose: drained, until-empty reached, max-jobs reached, recycled after abandoned handlers or a panic. */
  | { kind: 'leaving'; reason: LeaveReason; exitCode: number }
  /** One line a finished attempt for the supervisor's log. */
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: Record<string, unknown> }

export type LeaveReason = 'drained' | 'empty' | 'max_jobs' | 'abandoned' | 'panic' | 'orphaned' | 'quarantine_done'
