import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { WfError } from '../../../src/errors.ts'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import { declarationOf } from '../../../src/worker/handler/loaded-handler.ts'

const run = async () => ({})
const refusalOf = (handler: unknown): WfError => {
  try {
    normaliseHandler(handler)
  } catch (error) {
    if (error instanceof WfError) return error
  }
  throw new Error('it was not refused')
}

describe('normaliseHandler', () => {
  it('fills in every default', () => {
    expect(normaliseHandler({ type: 'a', run })).toEqual({
      type: 'a',
      run: expect.any(Function),
      schema: null,
      policy: {
        retries: 3,
        backoff: { strategy: 'exponential', baseMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0.2 },
        onExhausted: 'incident',
      },
      timeoutMs: 300_000,
      concurrency: 10,
      maxJobsActivated: 10,
      backlogLimit: null,
      fetchVariables: null,
      businessErrors: new Set(),
      dependencies: new Map(),
    })
  })

  it('takes every option and turns durations into ms', () => {
    const schema = z.object({})
    const loaded = normaliseHandler({
      type: 'charge-payment',
      run,
      variables: schema,
      retries: 7,
      backoff: { strategy: 'fixed', delay: '5s' },
      onExhausted: 'dead-letter',
      businessErrors: ['CARD_DECLINED'],
      timeout: '45s',
      concurrency: 4,
      maxJobsActivated: 8,
      backlogLimit: 1_000,
      fetchVariables: ['orderId'],
    })
    expect(loaded).toMatchObject({
      schema,
      timeoutMs: 45_000,
      concurrency: 4,
      maxJobsActivated: 8,
      backlogLimit: 1_000,
      fetchVariables: ['orderId'],
    })
    expect(loaded.policy).toMatchObject({
      retries: 7,
      backoff: { strategy: 'fixed', delayMs: 5_000 },
      onExhausted: 'dead-letter',
    })
    expect(loaded.businessErrors.has('CARD_DECLINED')).toBe(true)
    expect(declarationOf(loaded)).toEqual({
      type: 'charge-payment',
      timeoutMs: 45_000,
      concurrency: 4,
      retries: 7,
      backlogLimit: 1_000,
      onExhausted: 'dead-letter',
    })
  })

  it('declares the shared breakers that hold its jobs', () => {
    const dependencies = {
      bank: { breaker: {} },
      own: { breaker: { shared: false } },
      extra: { breaker: { hold: false } },
      plain: { timeout: '1s' },
    }
    expect(declarationOf(normaliseHandler({ type: 'pay', run, dependencies }))).toMatchObject({
      breakers: ['bank'],
    })
  })

  it('runs a handler that is an instance of a class as a method of it', () => {
    class Charge {
      type = 'charge'
      rate = 3
      run() {
        return this.rate
      }
    }
    expect(normaliseHandler(new Charge()).run({} as never, {} as never)).toBe(3)
  })

  const numbers = {
    retries: '1 to 1000',
    concurrency: '1 to 1000',
    maxJobsActivated: '1 to 2000',
    backlogLimit: '1 to 1000000000',
    timeout: '1ms to 1d',
  }
  for (const [key, range] of Object.entries(numbers)) {
    it.each([Number.NaN, 'five', 0, -1, Number.POSITIVE_INFINITY, 1.5, null, {}, [], true, 2 ** 53])(
      // B041
      `refuses ${key}: %s, naming key, value and range`,
      (value) => {
        const refusal = refusalOf({ type: 'a', run, [key]: value })
        expect(refusal.code).toBe('invalid_handler')
        expect(refusal.message).toContain(`handler "a": ${key} is `)
        expect(refusal.message).toContain(range)
        expect(refusal.message).toContain(typeof value === 'number' ? String(value) : '')
      },
    )
  }

  it('refuses maxJobsActivated above twice the concurrency', () => {
    expect(refusalOf({ type: 'a', run, concurrency: 4, maxJobsActivated: 9 }).message).toContain(
      'at most twice the concurrency, which is 4',
    )
    expect(normaliseHandler({ type: 'a', run, concurrency: 4, maxJobsActivated: 8 }).maxJobsActivated).toBe(8)
  })

  it.each([
    [{ retrys: 3 }, 'did you mean retries?'],
    [{ maxRetries: 3 }, 'did you mean retries?'],
    [{ lifo: true }, 'the options are type, run'],
    [{ timeOut: '5s' }, 'did you mean timeout?'],
    [{ bussinessErrors: [] }, 'did you mean businessErrors?'],
  ])('refuses the unknown option in %j and says what was probably meant', (options, hint) => {
    const refusal = refusalOf({ type: 'a', run, ...options })
    expect(refusal.message).toContain(`"${Object.keys(options)[0]}" is not an option`)
    expect(refusal.hint).toContain(hint)
  })

  it.each([
    [{ onExhausted: 'explode' }, 'onExhausted is "explode"; it must be one of "incident", "dead-letter"'],
    [{ businessErrors: 'CARD_DECLINED' }, 'businessErrors is "CARD_DECLINED"; it must be a list'],
    [{ businessErrors: [''] }, 'businessErrors[0] is ""; it must be a text that is not empty'],
    [{ fetchVariables: [1] }, 'fetchVariables[0] is 1; it must be a text that is not empty'],
    [{ variables: { parse: () => 1 } }, 'it must be a Standard Schema'],
    [{ variables: null }, 'variables is null'],
    [{ timeout: '5 minutes' }, 'timeout is "5 minutes"'],
    [{ timeout: '25h' }, 'from 1ms to 1d'],
    [{ backoff: { strategy: 'exponential', base: 0 } }, 'handler "a": backoff.base is 0'],
    [{ backoff: { strategy: 'linear' } }, 'backoff.strategy is "linear"'],
    [{ run: 'x' }, 'run is "x"; it must be a function'],
  ])('refuses %j', (options, message) => {
    expect(refusalOf({ type: 'a', run, ...options }).message).toContain(message)
  })

  it.each([null, undefined, 5, 'x', [], () => 1])('refuses %s as a handler', (value) => {
    expect(refusalOf(value).code).toBe('invalid_handler')
  })

  it.each([
    ['', 'the type is ""'],
    [' a', 'blanks around it'],
    ['a ', 'blanks around it'],
    ['a\nb', 'control characters'],
    ['a\u001b[2Jb', 'control characters'],
    ['a\u0085b', 'control characters'],
    ['x'.repeat(201), 'has 201 characters'],
    [undefined, 'the type is undefined'],
    [7, 'the type is 7'],
  ])('refuses the type %j', (type, message) => {
    expect(refusalOf({ type, run }).message).toContain(message)
  })

  it.each(['__proto__', 'toString', 'hasOwnProperty', 'constructor', 'x'.repeat(200), 'ünïcode 邮件'])(
    // B107
    'takes %s as an ordinary name',
    (type) => {
      expect(normaliseHandler({ type, run }).type).toBe(type)
    },
  )

  describe('with a polluted Object.prototype', () => {
    const prototype = Object.prototype as { retries?: number; concurrency?: number }
    afterEach(() => {
      delete prototype.retries
      delete prototype.concurrency
    })
    // B107
    it('reads no option from it', () => {
      prototype.retries = 999
      prototype.concurrency = 999
      expect(normaliseHandler({ type: 'a', run })).toMatchObject({ concurrency: 10, policy: { retries: 3 } })
    })
  })
})
