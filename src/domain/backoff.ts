/** Delay after a failure. */
export type Backoff =
  | { strategy: 'exponential'; baseMs: number; factor: number; maxMs: number; jitter: number }
  | { strategy: 'quadratic'; baseMs: number; maxMs: number; jitter: number }
  | { strategy: 'list'; delaysMs: readonly number[]; maxMs: number; jitter: number }
  | { strategy: 'fixed'; delayMs: number; maxMs: number; jitter: number }

/** What a handler may write: durations as ms or text, everything but the strategy's own numbers optional. */
export type BackoffOption =
  | { strategy: 'exponential'; base?: number | string; factor?: number; max?: number | string; jitter?: number }
  | { strategy: 'quadratic'; base?: number | string; max?: number | string; jitter?: number }
  | { strategy: 'list'; delays: readonly (number | string)[]; max?: number | string; jitter?: number }
  | { strategy: 'fixed'; delay: number | string; max?: number | string; jitter?: number }
