import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { countedBytes } from '../../src/text/bytes.ts'
import { maxDurationMs } from '../../src/text/duration.ts'
import { newJob, type EnqueueInput } from '../../src/domain/new-job.ts'
import { now } from './builders.ts'

const job = (input: Partial<EnqueueInput> = {}) => newJob({ type: 'charge', ...input }, now)

describe('defaults', () => {
  it('a type is enough', () => {
    expect(job()).toEqual({
      type: 'charge',
      variables: '{}',
      priority: 0,
      runAt: now,
      retries: 3,
      retriesGiven: false,
      deadlineAt: null,
      parentKey: null,
      idempotency: null,
    })
  })

  it('options that are undefined are not given', () => {
    const nothing = {
      delay: undefined,
      at: undefined,
      retries: undefined,
      deadline: undefined,
      priority: undefined,
      idempotencyKey: undefined,
      variables: undefined,
    }
    expect(newJob({ type: 'charge', ...nothing } as unknown as EnqueueInput, now)).toEqual(job())
  })

  it('a number of retries that is given is marked as given, even the default one', () => {
    expect(job({ retries: 3 })).toMatchObject({ retries: 3, retriesGiven: true })
    expect(job({ retries: 1 })).toMatchObject({ retries: 1, retriesGiven: true })
  })
})

describe('instants', () => {
  it.each<[Partial<EnqueueInput>, number]>([
    [{ delay: '5m' }, now + 300_000],
    [{ delay: 250 }, now + 250],
    [{ delay: '60d' }, now + 60 * 86_400_000],
    [{ at: now + 7 }, now + 7],
    [{ at: new Date(now + 7) }, now + 7],
    [{ at: now - 1_000 }, now - 1_000],
  ])('%j starts there', (input, runAt) => {
    expect(job(input).runAt).toBe(runAt)
  })

  it.each<[Partial<EnqueueInput>, number]>([
    [{ deadline: '2h' }, now + 7_200_000],
    [{ deadline: now + 5 }, now + 5],
    [{ deadline: new Date(now + 5) }, now + 5],
    [{ deadline: '1m', delay: '1m' }, now + 60_000],
  ])('%j may start until there', (input, deadlineAt) => {
    expect(job(input).deadlineAt).toBe(deadlineAt)
  })
})

describe('refusals', () => {
  it.each<[string, object, string]>([
    ['no type', { type: undefined }, 'the type is undefined'],
    ['an empty type', { type: '' }, 'the type is ""'],
    // B146
    [
      'a type that a command would take for a flag',
      { type: '--force' },
      'the type "--force" begins with a dash',
    ],
    // B068
    ['a type with a blank at its end', { type: 'emial ' }, 'the type "emial " has blanks around it'],
    ['a long type', { type: 'x'.repeat(201) }, 'the type has 201 characters'],
    // B101
    ['NUL in the type', { type: 'a\0b' }, 'control characters or half a character'],
    ['half a character in the type', { type: 'a\ud800' }, 'control characters or half a character'],
    ['variables that are a list', { variables: [1] }, 'the variables are [1], not an object'],
    ['variables that are null', { variables: null }, 'the variables are null, not an object'],
    ['variables that are text', { variables: '{}' }, 'the variables are "{}", not an object'],
    ['variables that are a Date', { variables: new Date(0) }, 'not an object'],
    // B060
    [
      'a BigInt in the variables',
      { variables: { id: 1n } },
      'the variables cannot be stored: $.id is a BigInt',
    ],
    [
      // B076
      'variables over the limit',
      { variables: { a: 'é'.repeat(524_288) } },
      'the variables cannot be stored: $ has 1,048,584 bytes of JSON, and limits.variables (WF_MAX_VARIABLES) allows 1,048,576',
    ],
    // B075
    [
      'variables too deep',
      { variables: { a: JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`) } },
      'lies deeper than 500 levels',
    ],
    ['delay and at', { delay: '1s', at: now }, 'delay and at are both given'],
    ['a delay in words', { delay: 'soon' }, 'delay "soon" is not a duration'],
    ['a negative delay', { delay: -1 }, 'delay -1 is negative'],
    // B027
    ['a delay of ages', { delay: '99999d' }, 'delay "99999d" is longer than ten years'],
    ['at NaN', { at: Number.NaN }, 'at is NaN, not an instant'],
    ['at an invalid Date', { at: new Date(Number.NaN) }, 'at is an invalid Date, not an instant'],
    ['at -1', { at: -1 }, 'at is -1, not an instant'],
    ['at Infinity', { at: Number.POSITIVE_INFINITY }, 'at is Infinity, not an instant'],
    ['at the year 9999', { at: Date.UTC(9999, 0) }, 'at is more than ten years ahead'],
    ['at as text', { at: '2026-01-01' }, 'at is "2026-01-01", not an instant'],
    ['a passed deadline', { deadline: now - 1 }, 'has passed'],
    [
      'a deadline in bare milliseconds',
      { deadline: 60_000 },
      'the deadline 1970-01-01T00:01:00.000Z has passed',
    ],
    ['a deadline before the start', { deadline: '1s', delay: '2s' }, "is before the job's first start"],
    // B021
    ['retries 0', { retries: 0 }, 'retries is 0'],
    ['retries 1001', { retries: 1_001 }, 'retries is 1001'],
    ['retries 1.5', { retries: 1.5 }, 'retries is 1.5'],
    ['retries as text', { retries: '3' }, 'retries is "3"'],
    ['retries null', { retries: null }, 'retries is null'],
    ['a priority too high', { priority: 1_000_001 }, 'priority is 1000001'],
    ['a priority of NaN', { priority: Number.NaN }, 'priority is NaN'],
    ['an empty idempotency key', { idempotencyKey: '' }, 'idempotencyKey is ""'],
    ['a long idempotency key', { idempotencyKey: 'k'.repeat(501) }, 'idempotencyKey has 501 characters'],
    ['a number as idempotency key', { idempotencyKey: 5 }, 'idempotencyKey is 5'],
    [
      'half a character in the idempotency key',
      { idempotencyKey: 'k\udc00' },
      'control characters or half a character',
    ],
    // B106
    ['a parent beyond 2^53', { parentKey: 2 ** 53 }, 'parentKey is 9007199254740992'],
    ['a misspelt option', { retires: 5 }, '"retires" is not an option of a job'],
    // B107
    [
      'options in __proto__',
      JSON.parse('{"__proto__":{"retries":999}}'),
      '"__proto__" is not an option of a job',
    ],
  ])('%s', (_, input, message) => {
    const given = Object.defineProperties(
      { type: 'charge' },
      Object.getOwnPropertyDescriptors(input),
    ) as unknown as EnqueueInput
    expect(() => newJob(given, now)).toThrow(
      expect.objectContaining({
        code: 'invalid_job',
        message: expect.stringContaining(message),
        hint: expect.stringMatching(/./),
      }),
    )
  })

  it('the limits themselves are accepted', () => {
    const fits = { a: 'x'.repeat(1_048_576 - 8) }
    expect(
      job({
        type: 'x'.repeat(200),
        retries: 1_000,
        priority: -1_000_000,
        idempotencyKey: 'k'.repeat(500),
        variables: fits,
        at: now + maxDurationMs,
      }),
    ).toMatchObject({
      retries: 1_000,
      priority: -1_000_000,
    })
    expect(() => job({ variables: { a: `${fits.a}x` } })).toThrow('has 1,048,577 bytes of JSON')
  })

  // B076
  it.each(['x', 'é', '語', '😀', '"'])(
    'variables of %s are taken up to the limit that is given, in bytes, and no byte more',
    (unit) => {
      const variables = { a: unit.repeat(300) }
      const bytes = Buffer.byteLength(JSON.stringify(variables))
      expect(newJob({ type: 't', variables }, now, bytes).variables).toBe(JSON.stringify(variables))
      expect(() => newJob({ type: 't', variables }, now, bytes - 1)).toThrow(
        `has ${countedBytes(bytes)} of JSON, and limits.variables (WF_MAX_VARIABLES) allows ${countedBytes(bytes - 1)}`,
      )
    },
  )
})

// B107
it.each(['__proto__', 'toString', 'hasOwnProperty', '支付', 'a b', '../../bin/sh'])(
  'a type may be called %s',
  (type) => {
    expect(job({ type }).type).toBe(type)
  },
)

// A32 B109
it('the idempotency key stands for type and variables, whatever the order of members', () => {
  const first = job({ idempotencyKey: 'k', variables: { a: 1, b: 2 } }).idempotency
  expect(first?.key).toBe('k')
  expect(job({ idempotencyKey: 'k', variables: { b: 2, a: 1 } }).idempotency).toEqual(first)
  expect(job({ idempotencyKey: 'k', variables: { a: 1, b: 3 } }).idempotency).not.toEqual(first)
  expect(
    newJob({ type: 'other', idempotencyKey: 'k', variables: { a: 1, b: 2 } }, now).idempotency,
  ).not.toEqual(first)
})

// B107
it('a child may say when, which is not looked at here', () => {
  expect(newJob({ type: 'x', when: 'success' } as EnqueueInput, now)).not.toHaveProperty('when')
})
