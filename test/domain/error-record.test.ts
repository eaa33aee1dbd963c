import { Buffer } from 'node:buffer'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorRecord, ownErrorRecord } from '../../src/domain/error-record.ts'
import { limits } from '../../src/domain/job.ts'

const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

function chain(depth: number): Error {
  let error = new Error('innermost')
  for (let n = 0; n < depth; n++) error = new Error(`level ${n}`, { cause: error })
  return error
}

describe('errors', () => {
  it('keeps name, message, code and the frames without the message above them', () => {
    const record = errorRecord(Object.assign(new TypeError('no such order'), { code: 'E_ORDER' }))
    expect(record).toMatchObject({
      name: 'TypeError',
      message: 'no such order',
      code: 'E_ORDER',
      causes: [],
      truncated: false,
    })
    expect(record.stack).toMatch(/^at /)
    expect(record.stack).toContain('error-record.test')
  })

  it('calls a subclass without a name of its own by its class', () => {
    class PaymentRefused extends Error {}
    expect(errorRecord(new PaymentRefused('x')).name).toBe('PaymentRefused')
  })

  it('takes the code of a cause where the error has none: fetch failed says ECONNREFUSED', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
    const record = errorRecord(new TypeError('fetch failed', { cause: refused }))
    expect(record).toMatchObject({
      name: 'TypeError',
      code: 'ECONNREFUSED',
      causes: [{ name: 'Error', message: refused.message, code: 'ECONNREFUSED' }],
    })
  })

  it('names the errors of an AggregateError, and gives it a message when it has none', () => {
    const record = errorRecord(new AggregateError([new Error('first'), 'second']))
    expect(record.message).toBe('several errors, the first: first')
    expect(record.causes.map(({ name, message }) => [name, message])).toEqual([
      ['Error', 'first'],
      ['string', 'second'],
    ])
  })

  it('knows an error of another realm', () => {
    expect(errorRecord(runInNewContext('new RangeError("far away")'))).toMatchObject({
      name: 'RangeError',
      message: 'far away',
    })
  })

  it('turns a numeric code into text', () => {
    expect(errorRecord(Object.assign(new Error('x'), { code: 1205 })).code).toBe('1205')
  })
})

describe('bounds', () => {
  it.each<[string, () => unknown]>([
    ['a message of 20 MB', () => new Error('m'.repeat(20_000_000))],
    ['a message of 20 MB of control characters', () => new Error('\u0001'.repeat(20_000_000))],
    ['a message of emoji', () => new Error('😀'.repeat(1_000_000))],
    [
      'a stack of 100,000 frames',
      () =>
        Object.assign(new Error('x'), {
          stack: `Error: x\n${'    at deep (/app/handler.ts:1:1)\n'.repeat(100_000)}`,
        }),
    ],
    ['a cause chain of depth 10,000', () => chain(10_000)],
    [
      'an AggregateError of 100,000',
      () => new AggregateError(Array.from({ length: 100_000 }, () => new Error('one'))),
    ],
    [
      'a huge name and code',
      () => Object.assign(new Error('x'), { name: 'n'.repeat(1e6), code: 'c'.repeat(1e6) }),
    ],
    [
      'a cause with everything huge',
      () =>
        new Error('"'.repeat(1e6), {
          cause: Object.assign(chain(20), { message: '\u0000'.repeat(1e6), code: '\\'.repeat(1e6) }),
        }),
    ],
    ['a huge string', () => 'x'.repeat(20_000_000)],
    ['a huge array', () => Array.from({ length: 1_000_000 }, () => 'x')],
    ['a huge BigInt', () => 2n ** 2_000_000n],
    // B030
  ])('%s is kept within the bound, and says that it was cut', (what, make) => {
    const record = errorRecord(make())
    expect(size(record)).toBeLessThanOrEqual(limits.errorBytes)
    if (!/array|BigInt/.test(what)) expect(record.truncated).toBe(true)
  })

  // B030
  it('keeps head and tail and says how much lies between', () => {
    const { message } = errorRecord(new Error(`head ${'-'.repeat(100_000)} tail`))
    expect(message).toMatch(/^head -+ … \[\d+ characters cut\] … -+ tail$/)
    expect(message.length).toBeGreaterThan(4_500)
  })

  // B030
  it('a long message does not push the frames out', () => {
    expect(errorRecord(new Error('m'.repeat(100_000))).stack).toMatch(/^at /)
  })

  // A17
  it('a circular chain of causes ends', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    expect(errorRecord(error).causes).toEqual([{ name: 'Error', message: 'b', code: null }])
  })

  it('whatever text comes in, the record fits and can be stored', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 9_000 }),
      fc.string({ maxLength: 40 }).map((part) => part.repeat(2_000)),
    )
    fc.assert(
      fc.property(text, text, text, text, (message, stack, code, inner) => {
        const error = Object.assign(
          new Error(message, { cause: Object.assign(new Error(inner), { code }) }),
          { stack, code, name: inner },
        )
        const record = errorRecord(error)
        expect(size(record)).toBeLessThanOrEqual(limits.errorBytes)
        expect(JSON.stringify(record)).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
      { numRuns: 50 },
    )
  })
})

describe('things that are no errors', () => {
  const never: unknown = Object.create(null)
  it.each<[unknown, string, string]>([
    ['x', 'string', 'x'],
    ['', 'string', 'an empty string was thrown'],
    [42, 'number', '42 was thrown'],
    [null, 'null', 'null was thrown'],
    [undefined, 'undefined', 'undefined was thrown'],
    [Symbol('s'), 'symbol', 'Symbol(s) was thrown'],
    [10n, 'bigint', '10n was thrown'],
    [true, 'boolean', 'true was thrown'],
    [[], 'array', '[] was thrown'],
    [[1, 'a'], 'array', '[1, "a"] was thrown'],
    [{}, 'object', '{} was thrown'],
    [{ status: 503 }, 'object', '{"status": 503} was thrown'],
    [{ message: 'looks like one', code: 7 }, 'Error', 'looks like one'],
    [() => 1, 'function', 'function was thrown'],
    [function named() {}, 'function', 'function named was thrown'],
    [class Foo {}, 'class', 'class Foo was thrown'],
    [never, 'object', '{} was thrown'],
    [Promise.resolve(), 'Promise', 'a Promise was thrown: an await is missing'],
    [new Map([[1, 2]]), 'Map', 'Map {} was thrown'],
    // B058
  ])('%s is named and readable', (thrown, name, message) => {
    expect(errorRecord(thrown)).toMatchObject({ name, message, truncated: false })
  })

  // B058
  it('a frozen error is not touched', () => {
    const frozen = Object.freeze(new Error('cold'))
    expect(errorRecord(frozen).message).toBe('cold')
    expect(Object.getOwnPropertyNames(frozen).sort()).toEqual(['message', 'stack'])
  })

  // A17
  it('a circular object is shown as far as it is worth', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(errorRecord(circle).message).toBe('{"self": {"self": {…}}} was thrown')
  })

  it('getters and proxies that throw do not get through', () => {
    const hostile = () => {
      throw new Error('gotcha')
    }
    const get = { get: hostile }
    const getter: unknown = Object.create(Error.prototype, {
      message: get,
      stack: get,
      name: get,
      cause: get,
      code: get,
      errors: get,
    })
    const proxy = new Proxy(
      {},
      {
        get: hostile,
        getPrototypeOf: hostile,
        ownKeys: hostile,
        has: hostile,
        getOwnPropertyDescriptor: hostile,
      },
    )
    const { proxy: revoked, revoke } = Proxy.revocable({}, {})
    revoke()
    const member: unknown = Object.create(Object.prototype, { a: { ...get, enumerable: true } })
    for (const thrown of [
      getter,
      proxy,
      revoked,
      member,
      new Error('x', { cause: proxy }),
      new AggregateError([proxy, revoked]),
    ]) {
      expect(errorRecord(thrown)).toMatchObject({
        name: expect.any(String),
        message: expect.stringMatching(/./),
      })
    }
  })

  // A17
  it('members of the wrong kind are not believed', () => {
    const odd = Object.assign(new Error('x'), { name: 5, code: {}, stack: 7, cause: null, errors: 'none' })
    expect(errorRecord(odd)).toEqual({
      name: 'Error',
      message: 'x',
      code: null,
      stack: null,
      causes: [],
      truncated: false,
    })
  })
})

describe('ownErrorRecord', () => {
  it('puts the cause and its causes below', () => {
    const cause = errorRecord(new Error('outer', { cause: new Error('inner') }))
    const record = ownErrorRecord({
      name: 'DeadlineExceeded',
      code: 'DEADLINE_EXCEEDED',
      message: 'too late',
      cause,
    })
    expect(record.causes.map(({ message }) => message)).toEqual(['outer', 'inner'])
    expect(record.stack).toBe(cause.stack)
  })

  // B030
  it('stays within the bound with the biggest of causes', () => {
    const cause = errorRecord(
      new Error('"'.repeat(1e6), { cause: Object.assign(chain(20), { message: '\u0001'.repeat(1e6) }) }),
    )
    expect(
      size(ownErrorRecord({ name: 'X', code: 'Y', message: 'z'.repeat(1e6), cause })),
    ).toBeLessThanOrEqual(limits.errorBytes)
  })
})
