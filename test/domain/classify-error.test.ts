import { describe, expect, it } from 'vitest'
import {
  BusinessError,
  DeferError,
  handlerErrorKind,
  IncidentError,
  NonRetryableError,
  PoisonError,
  RetryError,
} from '../../src/domain/handler-errors.ts'
import { outcomeOfThrow } from '../../src/domain/classify-error.ts'
import { now } from './builders.ts'

const outcome = (thrown: unknown) =>
  outcomeOfThrow(thrown, { now, businessErrors: new Set(['CARD_DECLINED']) })
const thrownBy = (make: () => unknown) => {
  try {
    return make()
  } catch (error) {
    return error
  }
}

describe('errors with a meaning', () => {
  // A14
  it('a business error is declared or not by its code', () => {
    expect(outcome(new BusinessError('CARD_DECLINED', 'no money'))).toMatchObject({
      kind: 'business_error',
      code: 'CARD_DECLINED',
      message: 'no money',
      declared: true,
    })
    expect(outcome(new BusinessError('OTHER'))).toMatchObject({
      kind: 'business_error',
      code: 'OTHER',
      declared: false,
    })
  })

  // A12
  it('a deferral names its instant in either way', () => {
    expect(outcome(new DeferError('busy', { in: '30s' }))).toEqual({
      kind: 'defer',
      until: now + 30_000,
      reason: 'busy',
      by: 'handler',
    })
    expect(outcome(new DeferError('busy', { in: 250 }))).toMatchObject({ until: now + 250 })
    expect(outcome(new DeferError('busy', { at: new Date(now + 5_000) }))).toMatchObject({
      until: now + 5_000,
    })
    expect(outcome(new DeferError('busy', { at: now - 5_000 }))).toMatchObject({ kind: 'defer', until: now })
  })

  it('a RetryError is an ordinary failure of its cause with a delay of its own', () => {
    const cause = Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' })
    expect(outcome(new RetryError(cause, { in: '5s' }))).toMatchObject({
      kind: 'fail',
      category: 'error',
      delayMs: 5_000,
      error: { name: 'TypeError', message: 'fetch failed', code: 'ECONNRESET' },
    })
    expect(outcome(new RetryError('not yet'))).toMatchObject({
      kind: 'fail',
      error: { name: 'RetryError', message: 'not yet' },
    })
    expect(outcome(new RetryError('not yet'))).not.toHaveProperty('delayMs')
    expect(outcome(new RetryError(null))).toMatchObject({ kind: 'fail', error: { message: 'null' } })
  })

  it('incident, its alias and poison stop the job', () => {
    expect(outcome(new IncidentError('look at this'))).toMatchObject({
      kind: 'incident',
      incident: 'raised',
      error: { message: 'look at this' },
    })
    expect(outcome(new NonRetryableError('never'))).toMatchObject({
      kind: 'incident',
      incident: 'non_retryable',
      error: { name: 'NonRetryableError' },
    })
    expect(outcome(new PoisonError('not an order'))).toMatchObject({
      kind: 'poison',
      error: { name: 'PoisonError', message: 'not an order' },
    })
  })

  it('keeps the cause of each', () => {
    expect(outcome(new IncidentError('x', { cause: new Error('inner') }))).toMatchObject({
      error: { causes: [{ message: 'inner' }] },
    })
  })

  it('subclasses mean what their parents mean', () => {
    class CardDeclined extends BusinessError {
      constructor() {
        super('CARD_DECLINED', 'declined')
      }
    }
    expect(outcome(new CardDeclined())).toMatchObject({ kind: 'business_error', declared: true })
  })

  it('are errors like all others to whoever catches them', () => {
    const error = new DeferError('busy', { in: '1s' })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('DeferError')
    expect(Object.keys(error).sort()).toEqual(['at', 'delayMs', 'name'])
  })
})

describe('another copy of the package', () => {
  const brand = Symbol.for('wfkit.handler-error')
  const foreign = (kind: unknown, fields: object) =>
    Object.assign(Object.defineProperty(new Error('from elsewhere'), brand, { value: kind }), fields)

  it('is understood by its brand alone', () => {
    expect(outcome(foreign('poison', {}))).toMatchObject({ kind: 'poison' })
    expect(outcome(foreign('business', { code: 'CARD_DECLINED' }))).toMatchObject({
      kind: 'business_error',
      declared: true,
    })
    expect(outcome(foreign('defer', { delayMs: 1_000, at: null }))).toMatchObject({
      kind: 'defer',
      until: now + 1_000,
    })
  })

  it.each<[string, object]>([
    ['NaN', { delayMs: Number.NaN, at: null }],
    ['nothing', {}],
    ['Infinity', { delayMs: Number.POSITIVE_INFINITY, at: null }],
    ['the year 9999', { delayMs: null, at: Date.UTC(9999, 0) }],
    ['-1', { delayMs: null, at: -1 }],
    // B027
  ])('a deferral until %s is one failed attempt that says what is wrong', (_, fields) => {
    expect(outcome(foreign('defer', fields))).toMatchObject({
      kind: 'fail',
      error: { name: 'WfError', message: expect.stringContaining('DeferError names') },
    })
  })

  it('a brand that is inherited or unknown means nothing', () => {
    expect(handlerErrorKind(Object.create(new PoisonError('x')))).toBeNull()
    expect(handlerErrorKind(foreign('explode', {}))).toBeNull()
    expect(handlerErrorKind({ __proto__: null })).toBeNull()
    expect(outcome(new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Error('no') } }))).toMatchObject({ kind: 'fail' }) // biome-ignore format: one trap
  })
})

describe('handler errors that are used wrongly', () => {
  it.each<[string, () => unknown, string]>([
    // B027
    ['in: NaN', () => new DeferError('x', { in: Number.NaN }), "DeferError's in NaN is not a number"],
    ['in: -1', () => new DeferError('x', { in: -1 }), "DeferError's in -1 is negative"],
    ['in: Infinity', () => new DeferError('x', { in: Number.POSITIVE_INFINITY }), 'is longer than ten years'],
    ['in: soon', () => new DeferError('x', { in: 'soon' }), 'is not a duration'],
    ['at: NaN', () => new DeferError('x', { at: Number.NaN }), "DeferError's at is NaN"],
    [
      'at: an invalid Date',
      () => new DeferError('x', { at: new Date(Number.NaN) }),
      "DeferError's at is an invalid Date",
    ],
    ['at: -1', () => new DeferError('x', { at: -1 }), "DeferError's at is -1"],
    ['neither', () => new DeferError('x', {} as { in: string }), 'needs either in or at'],
    ['both', () => new DeferError('x', { in: '1s', at: now } as { in: string }), 'needs either in or at'],
    ['a retry delay of NaN', () => new RetryError('x', { in: Number.NaN }), "RetryError's in NaN"],
    [
      'a business error without a code',
      () => new BusinessError(undefined as unknown as string),
      "BusinessError's code is undefined",
    ],
    [
      'a business error with a huge code',
      () => new BusinessError('X'.repeat(201)),
      "BusinessError's code is",
    ],
  ])('%s is one failed attempt that says so', (_, make, message) => {
    expect(outcome(thrownBy(make))).toMatchObject({
      kind: 'fail',
      error: { name: 'WfError', message: expect.stringContaining(message) },
    })
  })

  // B027
  it('a deferral to the year 9999 is one failed attempt that says so', () => {
    expect(outcome(new DeferError('x', { at: new Date(Date.UTC(9999, 0)) }))).toMatchObject({
      kind: 'fail',
      error: { name: 'WfError' },
    })
  })
})

describe('everything else', () => {
  it.each<[string, unknown]>([
    ['TypeError', new TypeError('x is undefined')],
    ['SyntaxError', thrownBy(() => JSON.parse('{'))],
    [
      'a failed fetch',
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    ],
    ['AbortError', Object.assign(new Error('aborted'), { name: 'AbortError' })],
    // B035
  ])('%s is a failure that is tried again', (_, thrown) => {
    expect(outcome(thrown)).toMatchObject({ kind: 'fail', category: 'error' })
  })

  it.each([
    ['x'],
    [''],
    [42],
    [null],
    [undefined],
    [Symbol('s')],
    [10n],
    [true],
    [[]],
    [{}],
    [() => {}],
    [Object.create(null)],
    [Object.freeze(new Error('f'))],
    [Promise.resolve()],
    [class {}],
    // B058
  ])('throwing %s is one failed attempt like any other', (thrown) => {
    expect(outcome(thrown)).toMatchObject({
      kind: 'fail',
      category: 'error',
      error: { message: expect.stringMatching(/./) },
    })
  })
})
