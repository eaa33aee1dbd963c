import { describe, expect, it } from 'vitest'
import { WfError } from '../../src/errors.ts'
import { preview } from '../../src/text/preview.ts'
import type { DependencyOption } from '../../src/resilience/dependency-policy.ts'
import { normaliseDependencies } from '../../src/worker/handler/dependency-schema.ts'

const handler = { type: 'charge', timeoutMs: 60_000 }
const one = (option: unknown) => normaliseDependencies({ stripe: option }, handler).get('stripe')

function refusal(read: () => unknown): WfError {
  try {
    read()
  } catch (error) {
    if (error instanceof WfError) return error
  }
  throw new Error('it was not refused')
}

describe('the policy of a dependency', () => {
  it('has defaults for what a guard does not say, and no guard that is not named', () => {
    expect(one({})).toEqual({ timeoutMs: null, retry: null, breaker: null, bulkhead: null })
    expect(one({ retry: {}, breaker: {}, bulkhead: 10 })).toEqual({
      timeoutMs: null,
      retry: { attempts: 3, delayMs: 100, factor: 2, maxMs: 2_000, jitter: 0.2, isTransient: null },
      breaker: {
        failures: 5,
        shouldTrip: null,
        intervalMs: null,
        openForMs: 30_000,
        probes: 1,
        isSuccessful: null,
        isExcluded: null,
        shared: true,
        hold: true,
      },
      bulkhead: { limit: 10, waitMs: 1_000 },
    })
    expect(normaliseDependencies(undefined, handler).size).toBe(0)
  })

  it('takes all that a handler may say', () => {
    const judge = () => true
    const said: DependencyOption = {
      timeout: '10s',
      retry: { attempts: 5, delay: '1s', factor: 1, max: '1s', jitter: 0, isTransient: judge },
      breaker: {
        shouldTrip: judge,
        interval: '1m',
        openFor: '5m',
        probes: 3,
        isSuccessful: judge,
        isExcluded: judge,
        shared: false,
        hold: false,
      },
      bulkhead: { limit: 1, wait: 0 },
    }
    expect(one(said)).toMatchObject({
      timeoutMs: 10_000,
      retry: { attempts: 5, delayMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0, isTransient: judge },
      breaker: {
        shouldTrip: judge,
        intervalMs: 60_000,
        openForMs: 300_000,
        probes: 3,
        isSuccessful: judge,
        isExcluded: judge,
        shared: false,
        hold: false,
      },
      bulkhead: { limit: 1, waitMs: 0 },
    })
  })

  // A28
  it('refuses more than five attempts and waits of more than ten seconds in all', () => {
    expect(refusal(() => one({ retry: { attempts: 6 } })).message).toBe(
      'handler "charge": dependencies.stripe.retry.attempts is 6; it must be a whole number from 1 to 5',
    )
    expect(refusal(() => one({ retry: { delay: '11s' } })).message).toContain(
      'dependencies.stripe.retry.delay is "11s"; it must be',
    )
    expect(refusal(() => one({ retry: { max: '11s' } })).message).toContain(
      'dependencies.stripe.retry.max is "11s"; it must be',
    )
    const total = refusal(() => one({ retry: { attempts: 3, delay: '5500ms', factor: 1 } })).message
    expect(total).toContain('dependencies.stripe.retry is {"attempts": 3, "delay": "5500ms"')
    expect(total).toContain('it must be one whose waits come to 10s at most, not 11s')
    expect(one({ retry: { attempts: 5, delay: '2500ms', factor: 1 } })?.retry?.maxMs).toBe(2_500)
  })

  const wrong = ['five', Number.NaN, 0, -1, 1.5, null, Number('1e999'), '', {}, [], true, '5', 10_000_000_000]
  it.each([
    ['breaker', 'failures', 'a whole number from 1 to 1000'],
    ['breaker', 'probes', 'a whole number from 1 to 100'],
    ['retry', 'attempts', 'a whole number from 1 to 5'],
    ['bulkhead', 'limit', 'a whole number from 1 to 1000'],
    // B041
  ])('refuses every %s.%s that is no number of its range', (guard, key, range) => {
    for (const value of wrong) {
      const { code, message } = refusal(() => one({ [guard]: { [key]: value } }))
      expect([value, code]).toEqual([value, 'invalid_handler'])
      expect(message).toContain(`handler "charge": dependencies.stripe.${guard}.${key} is `)
      expect(message).toContain(`it must be ${range}`)
    }
  })

  it.each([
    ['breaker', 'openFor'],
    ['breaker', 'interval'],
    ['retry', 'delay'],
    ['retry', 'max'],
    // B041 B026
  ])('refuses every %s.%s that is no duration of its range', (guard, key) => {
    for (const value of [
      'abc',
      '5',
      '-1s',
      '0s',
      Number.NaN,
      0,
      -1,
      1.5,
      null,
      Number('1e999'),
      {},
      '1000d',
    ]) {
      const { message } = refusal(() => one({ [guard]: { [key]: value } }))
      expect(message).toContain(
        `dependencies.stripe.${guard}.${key} is ${preview(value)}; it must be whole milliseconds or text such as "30s", from `,
      )
    }
  })

  // B041
  it('refuses what is no number, no function, no object, no boolean where one belongs', () => {
    const cases: [unknown, string][] = [
      [
        { timeout: 'abc' },
        'timeout is "abc"; it must be whole milliseconds or text such as "30s", from 1ms to 1m',
      ],
      [{ timeout: '2m' }, 'timeout is "2m"'],
      [{ retry: { factor: Number.NaN } }, 'retry.factor is NaN; it must be a number from 1 to 10'],
      [{ retry: { factor: 0.5 } }, 'retry.factor is 0.5'],
      [{ retry: { jitter: '0.2' } }, 'retry.jitter is "0.2"; it must be a number from 0 to 1'],
      [{ retry: { isTransient: true } }, 'retry.isTransient is true; it must be a function'],
      [{ breaker: { shouldTrip: 5 } }, 'breaker.shouldTrip is 5; it must be a function'],
      [
        { breaker: { shouldTrip: async () => true } },
        'breaker.shouldTrip is function shouldTrip; it must be a function that answers at once, not an async one',
      ],
      [{ breaker: { shared: 'no' } }, 'breaker.shared is "no"; it must be true or false'],
      [{ breaker: { hold: 1 } }, 'breaker.hold is 1; it must be true or false'],
      [{ breaker: null }, 'breaker is null; it must be an object with any of failures, shouldTrip'],
      [{ breaker: 5 }, 'breaker is 5; it must be an object'],
      [{ breaker: new Map() }, 'breaker is Map'],
      [{ retry: true }, 'retry is true; it must be an object'],
      [{ bulkhead: Number.NaN }, 'bulkhead is NaN; it must be a whole number from 1 to 1000'],
      [{ bulkhead: 0 }, 'bulkhead is 0'],
      [{ bulkhead: '10' }, 'bulkhead is "10"; it must be a whole number from 1 to 1000, or { limit, wait }'],
      [{ bulkhead: {} }, 'bulkhead.limit is undefined; it must be a whole number from 1 to 1000'],
      [{ bulkhead: null }, 'bulkhead is null; it must be'],
    ]
    for (const [option, message] of cases) {
      expect(refusal(() => one(option)).message).toContain(`handler "charge": dependencies.stripe.${message}`)
    }
    for (const option of [null, 5, 'x', [], undefined, new Date(0)])
      expect(refusal(() => one(option)).message).toContain('dependencies.stripe is ')
    for (const option of [null, 5, [], new Map()])
      expect(refusal(() => normaliseDependencies(option, handler)).message).toContain('dependencies is ')
  })

  // B041
  it('refuses keys that are none, and says which was meant', () => {
    for (const [option, message, hint] of [
      [{ timeoutt: 5 }, 'dependencies.stripe."timeoutt" is not an option', 'did you mean timeout?'],
      [
        { breaker: { failure: 5 } },
        'dependencies.stripe.breaker."failure" is not an option',
        'did you mean failures?',
      ],
      [
        { retry: { retries: 5 } },
        'dependencies.stripe.retry."retries" is not an option',
        'the options are attempts, delay',
      ],
      [
        { bulkhead: { limit: 5, waits: 1 } },
        'dependencies.stripe.bulkhead."waits" is not an option',
        'did you mean wait?',
      ],
    ] as const) {
      const error = refusal(() => one(option))
      expect([error.message, error.hint]).toEqual([
        expect.stringContaining(message),
        expect.stringContaining(hint),
      ])
    }
  })

  it('refuses two rules for one thing, and an interval in which no timeout can be counted', () => {
    expect(refusal(() => one({ breaker: { failures: 5, shouldTrip: () => true } })).message).toContain(
      'breaker.failures is 5; it must be left out',
    )
    expect(refusal(() => one({ timeout: '10s', breaker: { interval: '19s' } })).message).toContain(
      'from 20s to 1d',
    )
    expect(one({ timeout: '10s', breaker: { interval: '20s' } })?.breaker?.intervalMs).toBe(20_000)
  })

  it('refuses names that nobody could read', () => {
    for (const name of ['', ' stripe', 'stripe ', 'a\nb', 'a\u0000', 'x'.repeat(101)]) {
      expect(refusal(() => normaliseDependencies({ [name]: {} }, handler)).message).toContain(
        `names have 1 to 100 characters, no blanks around them, no dash at the beginning and no control characters; ${preview(name, 60)} is no such name`,
      )
    }
    for (const name of ['s', 'stripe', 'the bank', 'x'.repeat(100), 'größe'])
      expect(normaliseDependencies({ [name]: {} }, handler).size).toBe(1)
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`d${index}`, {}]))
    expect(refusal(() => normaliseDependencies(many, handler)).message).toContain('at most 100')
  })

  it('is never read from Object.prototype', () => {
    const prototype = Object.prototype as Record<string, unknown>
    prototype['bulkhead'] = 1
    try {
      expect(one({})?.bulkhead).toBeNull()
    } finally {
      delete prototype['bulkhead']
    }
  })
})
