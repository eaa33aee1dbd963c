/** What a script can tell from the exit code. One map from the code of an error to the code of the process. */
import type { ErrorCode } from '../errors.ts'

export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  store: 3,
  notFound: 4,
  conflict: 5,
  partlyDone: 6,
  waitTimedOut: 7,
  schema: 8,
  failedAgain: 9,
  notSuccessful: 10,
  handlerLoad: 11,
  backlogFull: 12,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const exitCodeOfError: Readonly<Record<ErrorCode, ExitCode>> = {
  usage: exitCodes.usage,
  invalid_job: exitCodes.usage,
  invalid_config: exitCodes.usage,
  refused: exitCodes.usage,
  store_missing: exitCodes.store,
  store_replaced: exitCodes.store,
  store_locked: exitCodes.store,
  store_corrupt: exitCodes.store,
  store_full: exitCodes.store,
  store_read_only: exitCodes.store,
  store_unavailable: exitCodes.store,
  outcome_unknown: exitCodes.store,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  idempotency_conflict: exitCodes.conflict,
  partly_done: exitCodes.partlyDone,
  wait_timeout: exitCodes.waitTimedOut,
  not_verified: exitCodes.waitTimedOut,
  failed_again: exitCodes.failedAgain,
  schema_newer: exitCodes.schema,
  schema_older: exitCodes.schema,
  job_not_successful: exitCodes.notSuccessful,
  invalid_handler: exitCodes.handlerLoad,
  handler_load_failed: exitCodes.handlerLoad,
  backlog_full: exitCodes.backlogFull,
  unexpected: exitCodes.unexpected,
}

export function exitCodeOf(code: ErrorCode): ExitCode {
  return exitCodeOfError[code]
}
