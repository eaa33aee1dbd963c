/** What a worker says when a breaker changes: rare, and worth a line each time. */
import type { Logger } from '../../logger.ts'
import type { BreakerChange } from '../../resilience/circuit-breaker.ts'

const words = {
  open: 'opened: jobs whose handler needs it wait, and lose no retry',
  half_open: 'lets a probe through',
  closed: 'closed: the jobs that it held start, a few at first',
} as const

export function logBreaker(log: Logger, { name, from, to, generation, by }: BreakerChange): void {
  const who = by === 'operator' ? ', by an operator' : ''
  const line = `the breaker of ${name} ${words[to]}${who}`
  const fields = { breaker: name, from, to, generation }
  if (to === 'open') log.warn(line, fields)
  else log.info(line, fields)
}
