/** Backoff: the strategies, the handler's option for them, and the delay after a failure. */

/** Delay after a failure. */
export type Backoff =
  | { strategy: 'exponential'; baseMs: number; factor: number; maxMs: number; jitter: number }
  | { strategy: 'quadratic'; baseMs: number; maxMs: number; jitter: number }
  | { strategy: 'list'; delaysMs: readonly number[]; maxMs: number; jitter: number }
  | { strategy: 'fixed'; delayMs: number; maxMs: number; jitter: number }

/** A handler's `backoff` option. Durations are ms or text such as `30s`; `max` is 5 m by default, `jitter` 0.2. */
export type BackoffOption =
  | {
      strategy: 'exponential'
      base?: number | string
      factor?: number
      max?: number | string
      jitter?: number
    }
  | { strategy: 'quadratic'; base?: number | string; max?: number | string; jitter?: number }
  | { strategy: 'list'; delays: readonly (number | string)[]; max?: number | string; jitter?: number }
  | { strategy: 'fixed'; delay: number | string; max?: number | string; jitter?: number }

export const defaultBackoff: Backoff = {
  strategy: 'exponential',
  baseMs: 1_000,
  factor: 2,
  maxMs: 300_000,
  jitter: 0.2,
}

/**
 * Returns the whole ms to wait after the `failures`th failure (from 1), at most `maxMs`; before jitter never shorter than
 * after the failure before. Jitter spreads evenly over delay × (1 ± jitter), and below `maxMs` where that would pass it,
 * so that jobs at the cap don't come back together. `random` returns numbers in [0, 1).
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: () => number): number {
  const delay = Math.round(Math.min(plainDelay(backoff, Math.max(1, failures)), backoff.maxMs))
  const low = Math.ceil(delay * (1 - backoff.jitter))
  const high = Math.min(Math.floor(delay * (1 + backoff.jitter)), backoff.maxMs)
  if (low >= high) return delay
  return low + Math.floor(random() * (high - low + 1))
}

function plainDelay(backoff: Backoff, failures: number): number {
  switch (backoff.strategy) {
    case 'exponential':
      return backoff.baseMs * backoff.factor ** (failures - 1)
    case 'quadratic':
      return backoff.baseMs * failures ** 2
    case 'list':
      return backoff.delaysMs[Math.min(failures, backoff.delaysMs.length) - 1] ?? 0
    case 'fixed':
      return backoff.delayMs
  }
}
