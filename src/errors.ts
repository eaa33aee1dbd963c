/** wf's own error: what went wrong, why, and what to do. The code decides the exit code (cli/exit-codes.ts). */
export type ErrorCode =
  | 'usage'
  | 'invalid_job'
  | 'invalid_handler'
  | 'invalid_config'
  | 'refused'
  | 'not_found'
  | 'conflict'
  | 'idempotency_conflict'
  | 'backlog_full'
  | 'store_missing'
  | 'store_replaced'
  | 'store_locked'
  | 'store_corrupt'
  | 'store_full'
  | 'store_read_only'
  | 'store_unavailable'
  /** The outcome of a write is unknown: the disk failed after the write and before the sync. */
  | 'outcome_unknown'
  | 'schema_newer'
  | 'schema_older'
  | 'handler_load_failed'
  | 'partly_done'
  | 'wait_timeout'
  /** A verified change: a job failed again. */
  | 'failed_again'
  /** A verified change: the outcome isn't known yet. */
  | 'not_verified'
  | 'job_not_successful'
  | 'unexpected'

export class WfError extends Error {
  override readonly name = 'WfError'
  readonly code: ErrorCode
  /** What to do, in one sentence; may be empty. */
  readonly hint: string
  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint ?? ''
  }
}

const goneCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'store_missing',
  'store_replaced',
  'store_corrupt',
  'outcome_unknown',
  'schema_newer',
])

/**
 * True if this process can't use the store any more: its file was moved, replaced or damaged, or upgraded by a newer wf.
 * The worker that watches the store reports it once; other callers needn't.
 */
export function isStoreGone(error: unknown): error is WfError {
  return error instanceof WfError && goneCodes.has(error.code)
}
