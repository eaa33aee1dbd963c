/** Why wf aborted a handler's signal: `signal.reason`. */
import { formatDuration } from '../../text/duration.ts'

/**
 * `timeout`: the attempt's time is nearly up. `shutdown`: the worker's grace is. `cancelled`: the job was cancelled.
 * `lease_lost`: the attempt is no longer this worker's, and the job may be running elsewhere.
 */
export type AbortKind = 'timeout' | 'shutdown' | 'cancelled' | 'lease_lost'

const words: Readonly<Record<AbortKind, string>> = {
  timeout: "the attempt's time is nearly up",
  shutdown: 'the worker is shutting down',
  cancelled: 'the job was cancelled',
  lease_lost: 'the attempt lost its lease: the job may be running elsewhere',
}

/** An error, so that `signal.throwIfAborted()` and `fetch` throw something with a stack; its name is the one that libraries look for. */
export class AbortReason extends Error {
  override readonly name = 'AbortError'
  readonly kind: AbortKind
  constructor(kind: AbortKind) {
    super(words[kind])
    this.kind = kind
  }
}

/** The signal aborts this long before the timeout, so that a handler that listens can end in time. */
export function abortLeadMs(timeoutMs: number): number {
  return Math.min(5_000, timeoutMs / 6)
}

export function timeoutMessage(timeoutMs: number): string {
  return `the attempt did not end within its timeout of ${formatDuration(timeoutMs)}`
}
