import { describe, expect, it } from 'vitest'
import { BusinessError, DeferError } from '../../src/domain/handler-errors.ts'
import { DependencyRefusal, refusalIn } from '../../src/resilience/dependency-refused.ts'

const refusal = (delayMs = 5) =>
  new DependencyRefusal({ dependency: 'stripe', by: 'breaker', delayMs, message: 'held' })

describe('a refusal', () => {
  it('is found behind what a handler put around it, but not behind an error that says itself what is to become of the job', () => {
    const held = refusal()
    expect(refusalIn(held)).toBe(held)
    expect(refusalIn(new Error('charge failed', { cause: new Error('stripe', { cause: held }) }))).toBe(held)
    expect(refusalIn(new BusinessError('NO', 'no', { cause: held }))).toBeNull()
    for (const thrown of [null, undefined, 'x', new Error('x'), new DeferError('later', { in: 1 })])
      expect(refusalIn(thrown)).toBeNull()
  })

  it('lets its job look once a day, however long a breaker is held', () => {
    expect(refusal(365 * 86_400_000).delayMs).toBe(86_400_000)
    expect(refusal(1_000).delayMs).toBe(1_000)
  })
})
