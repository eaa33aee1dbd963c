import { describe, expect, it } from 'vitest'
import {
  BusinessError,
  DeferError,
  IncidentError,
  PoisonError,
  RetryError,
} from '../../src/domain/handler-errors.ts'
import { retryAfterMs, statusOf } from '../../src/resilience/http-answer.ts'
import { isAbort, isTransient } from '../../src/resilience/transient.ts'

const fault = (fields: object, message = 'it failed') => Object.assign(new Error(message), fields)
const behind = (cause: unknown) => new Error('the call failed', { cause })
const fetchFailed = (cause?: unknown) =>
  new TypeError('fetch failed', cause === undefined ? undefined : { cause })
const named = (name: string) => fault({ name })

const transient: [string, unknown][] = [
  ...[408, 425, 429, 500, 502, 503, 504, 599].map((status): [string, unknown] => [
    `status ${status}`,
    fault({ status }),
  ]),
  ['statusCode', fault({ statusCode: 503 })],
  ['a status that is text', fault({ status: '503' })],
  ['response.status', fault({ response: { status: 429 } })],
  ['response.statusCode', fault({ response: { statusCode: 500 } })],
  ['$metadata.httpStatusCode', fault({ $metadata: { httpStatusCode: 503 } })],
  ['a Response that was thrown', new Response('', { status: 503 })],
  ['the status of a cause', behind(behind(fault({ status: 503 })))],
  ...[
    'ECONNRESET',
    'ECONNREFUSED',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'UND_ERR_SOCKET',
  ].map((code): [string, unknown] => [code, fault({ code })]),
  ['a code of a cause', behind(fault({ code: 'ECONNRESET' }))],
  ['fetch failed', fetchFailed()],
  ['fetch failed by a network code', fetchFailed(fault({ code: 'ECONNREFUSED' }))],
  ['fetch failed by a code that is not known', fetchFailed(fault({ code: 'HPE_INVALID_CONSTANT' }))],
  ['a body that broke off', new TypeError('terminated', { cause: fault({ code: 'UND_ERR_SOCKET' }) })],
  [
    'fetch failed on every address',
    fetchFailed(new AggregateError([fault({ code: 'ECONNREFUSED' }), fault({ code: 'ENETUNREACH' })])),
  ],
  ['TimeoutError', named('TimeoutError')],
  ['KnexTimeoutError', named('KnexTimeoutError')],
  [
    'the reason of AbortSignal.timeout',
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  ],
  [
    'an abort by a timeout',
    Object.assign(new Error('aborted', { cause: named('TimeoutError') }), {
      name: 'AbortError',
      code: 'ABORT_ERR',
    }),
  ],
  ...[
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_LOCKED',
    '40001',
    '40P01',
    '55P03',
    'ER_LOCK_DEADLOCK',
    'ER_LOCK_WAIT_TIMEOUT',
    'P2034',
  ].map((code): [string, unknown] => [code, fault({ code })]),
  ['sqlState 40001', fault({ code: 'ER_SOMETHING', sqlState: '40001' })],
  ['node:sqlite busy', fault({ code: 'ERR_SQLITE_ERROR', errcode: 5 })],
  ['node:sqlite busy snapshot', fault({ code: 'ERR_SQLITE_ERROR', errcode: 517 })],
  ['a deadlock of SQL Server', fault({ code: 'EREQUEST', number: 1205 })],
]

const lasting: [string, unknown][] = [
  ...[200, 301, 400, 401, 403, 404, 409, 410, 422, 451].map((status): [string, unknown] => [
    `status ${status}`,
    fault({ status }),
  ]),
  ['a status that is none', fault({ status: 503_000 })],
  ['an answer whose connection broke after it', fault({ status: 400, cause: fault({ code: 'ECONNRESET' }) })],
  ['an ordinary error', new Error('x')],
  ['TypeError of a program', new TypeError("Cannot read properties of undefined (reading 'id')")],
  ['SyntaxError of JSON.parse', new SyntaxError('Unexpected token')],
  ['fetch failed by its scheme', fetchFailed(new Error('unknown scheme'))],
  ['fetch failed by a certificate', fetchFailed(fault({ code: 'CERT_HAS_EXPIRED' }))],
  [
    'fetch failed by a certificate of another host',
    fetchFailed(fault({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })),
  ],
  ['one inner error that stays', new AggregateError([fault({ code: 'ECONNREFUSED' }), new Error('no')])],
  ['AbortError', named('AbortError')],
  ['an abort of axios', fault({ name: 'CanceledError', code: 'ERR_CANCELED' })],
  ['SQLITE_CONSTRAINT', fault({ code: 'SQLITE_CONSTRAINT' })],
  ['SQLITE_BUSYBODY', fault({ code: 'SQLITE_BUSYBODY' })],
  ['node:sqlite constraint', fault({ code: 'ERR_SQLITE_ERROR', errcode: 19 })],
  ['a unique violation', fault({ code: '23505' })],
  ['BusinessError', new BusinessError('CARD_DECLINED', 'no', { cause: fault({ status: 503 }) })],
  ['DeferError', new DeferError('later', { in: '5s' })],
  ['RetryError', new RetryError(fault({ status: 503 }), { in: '5s' })],
  ['IncidentError', new IncidentError('no', { cause: fault({ status: 503 }) })],
  ['PoisonError', new PoisonError('no')],
  ...[undefined, null, 'ECONNRESET', 503, Symbol('x'), 0n, [], {}].map((thrown): [string, unknown] => [
    `a thrown ${String(typeof thrown)}`,
    thrown,
  ]),
]

describe('what is transient', () => {
  // B035
  it.each(transient)('%s is', (_what, thrown) => expect(isTransient(thrown)).toBe(true))
  // B035
  it.each(lasting)('%s is not', (_what, thrown) => expect(isTransient(thrown)).toBe(false))

  it('is told from errors that lie, circle or go on for ever without a throw', () => {
    const liar = new Proxy(new Error('x'), {
      get() {
        throw new Error('caught you')
      },
      getOwnPropertyDescriptor() {
        throw new Error('caught you')
      },
    })
    const circle = fault({})
    Object.assign(circle, { cause: behind(circle) })
    let deep: unknown = fault({ status: 503 })
    for (let depth = 0; depth < 10_000; depth++) deep = behind(deep)
    for (const thrown of [liar, circle, deep]) expect(isTransient(thrown)).toBe(false)
    expect(retryAfterMs(liar, 0)).toBeNull()
  })

  it('knows an abort from a timeout that aborted', () => {
    expect(isAbort(named('AbortError'))).toBe(true)
    expect(isAbort(new DOMException('This operation was aborted', 'AbortError'))).toBe(true)
    expect(
      isAbort(Object.assign(new Error('aborted', { cause: named('TimeoutError') }), { code: 'ABORT_ERR' })),
    ).toBe(false)
    expect(isAbort(new Error('x'))).toBe(false)
  })

  it('finds the nearest status', () => {
    expect(statusOf(Object.assign(behind(fault({ status: 500 })), { statusCode: 404 }))).toBe(404)
    expect(statusOf(behind(fault({ status: 500 })))).toBe(500)
    expect(statusOf(new Error('x'))).toBeNull()
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-05T10:00:00Z')
  const asked = (headers: unknown) => retryAfterMs(fault({ status: 503, headers }), now)

  it('is read from Headers, a Map, a plain object in any case, a list, an answer and a cause', () => {
    expect(asked(new Headers({ 'Retry-After': '7' }))).toBe(7_000)
    expect(asked(new Map([['Retry-After', '7']]))).toBe(7_000)
    expect(asked({ 'retry-after': '7' })).toBe(7_000)
    expect(asked({ 'RETRY-AFTER': 7 })).toBe(7_000)
    expect(asked({ 'Retry-After': ['7', '9'] })).toBe(7_000)
    expect(asked({ 'retry-after-ms': '250' })).toBe(250)
    expect(
      retryAfterMs(
        fault({ response: new Response('', { status: 429, headers: { 'retry-after': '3' } }) }),
        now,
      ),
    ).toBe(3_000)
    expect(retryAfterMs(behind(fault({ responseHeaders: { 'retry-after': '3' } })), now)).toBe(3_000)
    expect(retryAfterMs(new Response('', { status: 503, headers: { 'retry-after': '3' } }), now)).toBe(3_000)
  })

  it('is seconds or an HTTP date of any of the three forms; a past one is now', () => {
    expect(asked({ 'retry-after': '0' })).toBe(0)
    expect(asked({ 'retry-after': '1.5' })).toBe(1_500)
    expect(asked({ 'retry-after': 'Mon, 05 Jan 2026 10:02:00 GMT' })).toBe(120_000)
    expect(asked({ 'retry-after': 'Monday, 05-Jan-26 10:02:00 GMT' })).toBe(120_000)
    expect(asked({ 'retry-after': 'Mon Jan  5 10:02:00 2026' })).toBe(120_000)
    expect(asked({ 'retry-after': 'Mon, 05 Jan 2026 09:00:00 GMT' })).toBe(0)
  })

  it('is nothing when it is no time, and never more than a day', () => {
    for (const value of [
      '',
      '-5',
      '1e3',
      'soon',
      'Infinity',
      Number.NaN,
      -1,
      Number.POSITIVE_INFINITY,
      {},
      null,
    ]) {
      expect([value, asked({ 'retry-after': value })]).toEqual([value, null])
    }
    expect(asked(undefined)).toBeNull()
    expect(asked('retry-after: 5')).toBeNull()
    expect(asked({ 'retry-after': '999999999' })).toBe(86_400_000)
    expect(asked({ 'retry-after': 'Mon, 05 Jan 2099 10:00:00 GMT' })).toBe(86_400_000)
  })
})
