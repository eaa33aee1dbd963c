import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  BusinessError,
  DeferError,
  IncidentError,
  NonRetryableError,
  PoisonError,
  RetryError,
} from '../../../src/domain/handler-errors.ts'
import { limits } from '../../../src/domain/job.ts'
import { bench, outcomeOf } from '../run-one.ts'

const order = z.object({ orderId: z.string(), amount: z.number().positive() })

describe('an attempt', () => {
  it('ends as a success with the result as JSON text', async () => {
    expect(await outcomeOf({ run: async () => ({ chargeId: 'c-1' }) })).toEqual({
      kind: 'success',
      result: '{"chargeId":"c-1"}',
    })
    expect(await outcomeOf({ run: () => 42 })).toEqual({ kind: 'success', result: '42' })
    expect(await outcomeOf({ run: async () => undefined })).toEqual({ kind: 'success' })
    expect(await outcomeOf({ run: async () => null })).toEqual({ kind: 'success', result: 'null' })
  })

  it('gives the handler the job as it stands', async () => {
    const run = vi.fn()
    await outcomeOf(
      { run },
      { key: 7, attempt: 4, retries: 2, createdAt: 1_000, deadlineAt: 2_000, variables: '{"orderId":"o-1"}' },
    )
    expect(run.mock.calls[0]?.[0]).toEqual({
      key: 7,
      type: 'a',
      variables: { orderId: 'o-1' },
      attempt: 4,
      retries: 2,
      createdAt: new Date(1_000),
      deadlineAt: new Date(2_000),
    })
  })

  it('tells how long the handler ran', async () => {
    const { start, clock, ends } = bench()
    start({ run: () => clock.sleep(1_234) })
    await clock.advance(2_000)
    expect(ends[0]?.durationMs).toBe(1_234)
  })
})

describe('variables', () => {
  it.each([
    ['nothing', ''],
    ['half an object', '{'],
    ['null', 'null'],
    ['half an array', '[1'],
    ['an array', '[1]'],
    ['NaN', 'NaN'],
    ['text', '"x"'],
    ['a byte order mark before JSON', '\ufeff{}'],
    ['5 MB of brackets', '['.repeat(5_000_000)],
    ['bytes that are no UTF-8', '{"a":"\ufffd'],
    ['no text at all', null as unknown as string],
    // B104
  ])('that are %s are poison, and the handler does not start', async (_, variables) => {
    const run = vi.fn()
    const outcome = await outcomeOf({ run }, { variables })
    expect(outcome).toMatchObject({ kind: 'poison', error: { code: 'VARIABLES_UNREADABLE' } })
    expect(run).not.toHaveBeenCalled()
  })

  // A13
  it('that fail the schema are poison that names what is wrong, and the handler does not start', async () => {
    const run = vi.fn()
    const outcome = await outcomeOf({ run, variables: order }, { variables: '{"amount":-1}' })
    expect(outcome).toMatchObject({
      kind: 'poison',
      error: { name: 'PoisonError', code: 'VARIABLES_INVALID' },
    })
    expect((outcome as { error: { message: string } }).error.message).toMatch(
      /^the variables do not fit: orderId: .+; amount: .+/,
    )
    expect(run).not.toHaveBeenCalled()
  })

  it('are given as the schema puts them out', async () => {
    const run = vi.fn()
    await outcomeOf(
      { run, variables: z.object({ at: z.coerce.number(), to: z.string().default('x') }) },
      { variables: '{"at":"5","more":1}' },
    )
    expect(run.mock.calls[0]?.[0].variables).toEqual({ at: 5, to: 'x' })
  })

  it('may be checked by a schema that takes its time', async () => {
    const slow = z.object({ id: z.string().refine(async (id) => id === 'good') })
    expect(await outcomeOf({ run: () => 1, variables: slow }, { variables: '{"id":"good"}' })).toEqual({
      kind: 'success',
      result: '1',
    })
    expect(await outcomeOf({ run: () => 1, variables: slow }, { variables: '{"id":"bad"}' })).toMatchObject({
      kind: 'poison',
    })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('database away')
      },
    ],
    ['rejects', () => Promise.reject(new Error('database away'))],
  ])('are not poison when the schema itself %s: that is a failure', async (_, validate) => {
    const variables = { '~standard': { version: 1, vendor: 'test', validate } }
    expect(await outcomeOf({ run: () => 1, variables })).toMatchObject({
      kind: 'fail',
      error: { message: 'database away' },
    })
  })

  it('are narrowed by fetchVariables before the schema sees them', async () => {
    const run = vi.fn()
    const variables = z.strictObject({ orderId: z.string() })
    await outcomeOf(
      { run, variables, fetchVariables: ['orderId', 'missing'] },
      { variables: '{"orderId":"o-1","card":"4242"}' },
    )
    expect(run.mock.calls[0]?.[0].variables).toEqual({ orderId: 'o-1' })
  })

  // B107
  it('keep __proto__ as data and poison no object', async () => {
    const run = vi.fn()
    const text = '{"__proto__":{"retries":999,"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    await outcomeOf({ run }, { variables: text })
    await outcomeOf({ run, fetchVariables: ['__proto__', 'constructor'] }, { variables: text })
    for (const [job] of run.mock.calls) {
      expect(JSON.stringify(job.variables)).toBe(text)
      expect(Object.getPrototypeOf(job.variables)).toBe(Object.prototype)
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('what is thrown', () => {
  // A14
  it('a business error keeps its code, and whether the handler declares it', async () => {
    const run = async () => {
      throw new BusinessError('CARD_DECLINED', 'no money')
    }
    expect(await outcomeOf({ run, businessErrors: ['CARD_DECLINED'] })).toMatchObject({
      kind: 'business_error',
      code: 'CARD_DECLINED',
      message: 'no money',
      declared: true,
    })
    expect(await outcomeOf({ run })).toMatchObject({
      kind: 'business_error',
      code: 'CARD_DECLINED',
      declared: false,
    })
    expect(await outcomeOf({ run, businessErrors: ['toString'] })).toMatchObject({ declared: false })
  })

  it('has the meaning that its class says', async () => {
    const thrown = async (error: unknown) => outcomeOf({ run: () => Promise.reject(error) })
    expect(await thrown(new PoisonError('never'))).toMatchObject({
      kind: 'poison',
      error: { message: 'never' },
    })
    expect(await thrown(new IncidentError('look'))).toMatchObject({ kind: 'incident', incident: 'raised' })
    expect(await thrown(new NonRetryableError('look'))).toMatchObject({
      kind: 'incident',
      incident: 'non_retryable',
    })
    expect(await thrown(new RetryError(new Error('busy'), { in: '5s' }))).toMatchObject({
      kind: 'fail',
      delayMs: 5_000,
      error: { message: 'busy' },
    })
    expect(await thrown(new DeferError('later', { in: '1m' }))).toMatchObject({
      kind: 'defer',
      by: 'handler',
      reason: 'later',
    })
  })

  const frozen = Object.freeze(new Error('frozen'))
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
      getPrototypeOf() {
        throw new Error('no')
      },
    },
  )
  const circular: { self?: unknown } = {}
  circular.self = circular
  const huge = Object.assign(new Error('huge'), { stack: 'x'.repeat(20_000_000) })
  const things: [string, unknown][] = [
    ['a string', 'x'],
    ['an empty string', ''],
    ['a number', 42],
    ['null', null],
    ['undefined', undefined],
    ['a symbol', Symbol('s')],
    ['a BigInt', 10n],
    ['true', true],
    ['an array', []],
    ['an object', {}],
    ['a function', () => undefined],
    ['an object without prototype', Object.create(null)],
    ['a frozen error', frozen],
    ['a promise', Promise.resolve(1)],

    ['a class', class Oops {}],
    ['a circular object', circular],
    ['an error with a stack of 20 MB', huge],
    ['a hostile proxy', hostile],
    [
      'an error whose then throws',
      Object.defineProperty(new Error('then'), 'then', {
        get() {
          throw new Error('no')
        },
      }),
    ],
  ]
  for (const [name, thing] of things) {
    const ways: [string, () => unknown][] = [
      [
        'synchronously',
        () => {
          throw thing
        },
      ],
      [
        'from an async function',
        async () => {
          throw thing
        },
      ],
      ['by a rejected promise', () => new Promise((_, reject) => setImmediate(() => reject(thing)))],
    ]
    // A17 B058
    it.each(ways)(
      `${name} thrown %s is one failed attempt with a bounded, readable record`,
      async (_, run) => {
        const outcome = await outcomeOf({ run })
        expect(outcome).toMatchObject({ kind: 'fail', category: 'error' })
        const { error } = outcome as { error: { message: string; name: string } }
        expect(error.message).not.toBe('')
        expect(error.name).not.toBe('')
        expect(JSON.stringify(error).length).toBeLessThanOrEqual(limits.errorBytes)
      },
    )
  }
  // B058
  it('a rejected promise thrown is one failure too, and not an unhandled rejection beside it', async () => {
    const run = () => {
      throw Promise.reject(new Error('inner'))
    }
    expect(await outcomeOf({ run })).toMatchObject({
      kind: 'fail',
      error: { message: expect.stringContaining('Promise') },
    })
  })

  // B058
  it('a frozen error is not touched', () => {
    expect(Object.isFrozen(frozen)).toBe(true)
  })
})

describe('what is returned', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  const bad: [string, unknown][] = [
    ['a BigInt inside', { id: 2n ** 60n }],
    ['a BigInt', 1n],
    ['a circular object', circular],
    ['50 MB', 'x'.repeat(50_000_000)],
    ['a function', () => 1],
    ['a Map', { seen: new Map() }],
    ['a symbol', Symbol('x')],
    [
      'a hostile proxy',
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no')
          },
        },
      ),
    ],
  ]
  // A17 B060
  it.each(bad)('%s is result_invalid, and the handler ran once', async (_, value) => {
    const run = vi.fn(async () => value)
    const outcome = await outcomeOf({ run })
    expect(outcome).toMatchObject({ kind: 'result_invalid', error: { code: 'RESULT_INVALID' } })
    expect(run).toHaveBeenCalledTimes(1)
  })

  // B076
  it('takes a result up to the limit that is set, in bytes, and no byte more', async () => {
    const sizes = { variablesBytes: 1, resultBytes: 2_000 }
    const fits = 'é'.repeat(999)
    expect(await outcomeOf({ run: () => fits }, {}, sizes)).toMatchObject({
      kind: 'success',
      result: `"${fits}"`,
    })
    expect(await outcomeOf({ run: () => `${fits}x` }, {}, sizes)).toMatchObject({
      kind: 'result_invalid',
      error: {
        message: expect.stringContaining(
          '$ has 2,001 bytes of JSON, and limits.result (WF_MAX_RESULT) allows 2,000 bytes',
        ),
      },
    })
  })

  // B060
  it('names the path of what cannot be stored', async () => {
    const outcome = await outcomeOf({ run: () => ({ order: { id: 2n ** 60n } }) })
    expect((outcome as { error: { message: string } }).error.message).toContain('$.order.id')
  })
})
