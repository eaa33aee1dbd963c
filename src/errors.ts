/** Every error of wf's own: what went wrong, why, and what to try. The code chooses the exit code (cli/exit-codes.ts). */
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
  /** What was asked for may have been done or not: the disk failed after it was written, before it was known to be safe. */
  | 'outcome_unknown'
  | 'schema_newer'
  | 'schema_older'
  | 'handler_load_failed'
  | 'partly_done'
  | 'wait_timeout'
  /** Watched after a change: it did not come through. */
  | 'failed_again'
  /** Watched after a change: nobody knows yet. */
  | 'not_verified'
  | 'job_not_successful'
  | 'unexpected'

export class WfError extends Error {
  override readonly name = 'WfError'
  readonly code: ErrorCode
  /** What to try, one sentence; empty when there is nothing to say. */
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
 * This process can work with the store no more: its file is not where it was opened, is damaged, or was upgraded by a newer
 * wf. Whoever looks after the store says so, once; others who meet it need not.
 */
export function isStoreGone(error: unknown): error is WfError {
  return error instanceof WfError && goneCodes.has(error.code)
}
