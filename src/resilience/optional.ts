/**
 * A step that a job can do without. Whatever becomes of it, a throw, a deferral, a breaker that is open, silence, the
 * job goes on; that the step is missing is counted and told, because what nobody sees stays broken.
 */
import type { Clock } from '../clock.ts'
import { attempt } from '../text/preview.ts'
import { withTimeLimit } from './timeout.ts'

export interface OptionalScope {
  clock: Clock
  /** The attempt's. */
  signal: AbortSignal
  /** Ms until that signal aborts because the attempt's time is up. */
  timeLeftMs(): number
  /** Told once for each step that failed. */
  onDegraded(feature: string, thrown: unknown): void
}

/** A step that hangs must not take the job with it: it gets this long, and at most half of what is left. */
const optionalLimitMs = 10_000

/** What `fn` gives, or undefined where it gives nothing in time. Never rejects. */
export async function optional<T>(
  feature: string,
  fn: (signal: AbortSignal) => PromiseLike<T> | T,
  scope: OptionalScope,
): Promise<T | undefined> {
  const { clock, signal } = scope
  try {
    signal.throwIfAborted()
    const timeLeftMs = Math.min(optionalLimitMs, scope.timeLeftMs() / 2)
    return await withTimeLimit(fn, { clock, what: feature, timeoutMs: null, timeLeftMs, signal })
  } catch (thrown) {
    attempt(() => scope.onDegraded(feature, thrown), undefined)
    return undefined
  }
}
