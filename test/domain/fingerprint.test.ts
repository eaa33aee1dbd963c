import { describe, expect, it } from 'vitest'
import type { ErrorRecord } from '../../src/domain/error-record.ts'
import { fingerprint, normaliseMessage } from '../../src/domain/fingerprint.ts'

const record = (change: Partial<ErrorRecord> = {}): ErrorRecord => ({
  name: 'Error',
  message: 'order 17 not found',
  code: 'ENOENT',
  stack: 'at charge (/app/src/charge.ts:10:5)\nat run (/app/src/main.ts:3:1)',
  causes: [],
  truncated: false,
  ...change,
})
const of = (change?: Partial<ErrorRecord>, type = 'charge-payment') => fingerprint(type, record(change))

describe('fingerprint', () => {
  it('is 16 hex digits', () => {
    expect(of()).toMatch(/^[0-9a-f]{16}$/)
  })

  it.each<[string, Partial<ErrorRecord>]>([
    ['another number', { message: 'order 99 not found' }],
    ['a release that moved the line', { stack: 'at charge (/app/src/charge.ts:12:9)' }],
    ['another folder of deployment', { stack: 'at charge (file:///srv/releases/42/src/charge.ts:10:5)' }],
    [
      'frames of Node and of dependencies on top',
      {
        stack:
          'at node:internal/x:1:1\nat f (/app/node_modules/p/i.js:1:1)\nat charge (/app/src/charge.ts:10:5)',
      },
    ],
    ['other causes', { causes: [{ name: 'Error', message: 'x', code: null }] }],
  ])('stays the same with %s', (_, change) => {
    expect(of(change)).toBe(of())
  })

  it.each<[string, Partial<ErrorRecord>]>([
    ['message', { message: 'order 17 was refused' }],
    [
      'property that is read of nothing',
      { message: "Cannot read properties of undefined (reading 'total')" },
    ],
    ['code', { code: 'EPERM' }],
    ['function', { stack: 'at refund (/app/src/charge.ts:10:5)' }],
    ['file', { stack: 'at charge (/app/src/refund.ts:10:5)' }],
  ])('differs with another %s', (_, change) => {
    expect(of(change)).not.toBe(of())
  })

  it('tells two bugs in one function apart by the property that is read of nothing', () => {
    const reading = (name: string) =>
      of({ message: `Cannot read properties of undefined (reading '${name}')` })
    expect(reading('total')).not.toBe(reading('lines'))
  })

  it('differs with another type', () => {
    expect(of({}, 'send-mail')).not.toBe(of())
  })

  it('exists without a code, a stack or a message', () => {
    expect(of({ code: null, stack: null, message: '' })).toMatch(/^[0-9a-f]{16}$/)
    expect(of({ code: null, name: 'TypeError' })).not.toBe(of({ code: null, name: 'RangeError' }))
  })
})

describe('normaliseMessage', () => {
  it.each([
    ['order 3f2b8c1e-9d4a-4a6b-8c1e-3f2b8c1e9d4a is gone', 'order <id> is gone'],
    ['took 1,234.5 ms of 5000', 'took <n> ms of <n>'],
    [
      "Cannot read properties of undefined (reading 'total')",
      "Cannot read properties of undefined (reading 'total')",
    ],
    ['bad value "blue" for \'colour\'', 'bad value <text> for <text>'],
    ['hash deadbeef01 at 0x7fff', 'hash <id> at <id>'],
    ['since 2026-01-15T12:00:00.000Z', 'since <time>'],
    ['mail to anna.b@example.org failed', 'mail to <text> failed'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <n>'],
    ['two\n  lines', 'two lines'],
    ['facade and decade stay', 'facade and decade stay'],
  ])('%j is %j', (message, normal) => {
    expect(normaliseMessage(message)).toBe(normal)
  })

  it('is bounded whatever the message', () => {
    expect(normaliseMessage('ab '.repeat(1_000_000)).length).toBeLessThanOrEqual(500)
  })
})
