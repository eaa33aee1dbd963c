/** The `backoff` option of a handler. */
import * as z from 'zod/mini'
import type { Backoff } from '../../domain/backoff.ts'
import { maxDurationMs } from '../../text/duration.ts'
import { duration, number, ownMembers, strict } from '../../text/schema.ts'

const longestList = 100
const defaultMaxMs = 300_000

const delay = () => duration({ min: 0, max: maxDurationMs }, { isRounded: true })
/** A base of 0 would spend all retries at once; who wants that writes `{ strategy: 'fixed', delay: 0 }`. */
const base = () => z._default(duration({ min: 1, max: maxDurationMs }, { isRounded: true }), 1_000)
const common = () => ({
  max: z.optional(delay()),
  jitter: z._default(number({ min: 0, max: 1 }), 0.2),
})

const delayList = { error: `a list of 1 to ${longestList} durations` }
const factor = z._default(number({ min: 1, max: 100 }), 2)
const delays = z
  .array(delay(), delayList)
  .check(z.minLength(1, delayList), z.maxLength(longestList, delayList))
const strategies = [
  strict({ strategy: z.literal('exponential'), base: base(), factor, ...common() }),
  strict({ strategy: z.literal('quadratic'), base: base(), ...common() }),
  strict({ strategy: z.literal('list'), delays, ...common() }),
  strict({ strategy: z.literal('fixed'), delay: delay(), ...common() }),
] as const

const option = z.discriminatedUnion('strategy', strategies, {
  error: 'one of exponential, quadratic, list, fixed',
})

/** Delays of 0 are for `fixed` and `list`. The longest delay may not exceed `max` (default: 5 m, or that delay). */
export const backoffSchema = z.pipe(
  z.pipe(ownMembers('an object with a strategy'), option),
  z.transform((given, { issues, value }): Backoff => {
    const { longestMs, ...strategy } = strategyOf(given)
    const { max, jitter } = given
    if (max !== undefined && max < longestMs) {
      const message = `at least the longest delay, which is ${longestMs} ms`
      issues.push({ code: 'custom', path: ['max'], message, input: value })
    }
    return { ...strategy, maxMs: max ?? Math.min(Math.max(defaultMaxMs, longestMs), maxDurationMs), jitter }
  }),
)

function strategyOf(given: z.infer<typeof option>) {
  const { strategy } = given
  switch (strategy) {
    case 'exponential':
      return { strategy, baseMs: given.base, factor: given.factor, longestMs: given.base }
    case 'quadratic':
      return { strategy, baseMs: given.base, longestMs: given.base }
    case 'list':
      return { strategy, delaysMs: given.delays, longestMs: Math.max(...given.delays) }
    case 'fixed':
      return { strategy, delayMs: given.delay, longestMs: given.delay }
  }
}
