import { describe, expect, it } from 'vitest'
import { logCleaner, boundedFields, boundedMessage } from '../../src/text/sanitize.ts'

const circle: Record<string, unknown> = {}
circle['self'] = circle
const trap = Object.defineProperty({}, 'x', {
  enumerable: true,
  get() {
    throw new Error('no')
  },
})

describe('what a log line may carry', () => {
  // B060
  it('is plain data whatever a handler hands over', () => {
    expect(
      boundedFields({
        big: 2n ** 70n,
        error: new TypeError('inner', { cause: new Error('deeper') }),
        at: new Date(0),
        f: () => 1,
      }),
    ).toMatchObject({
      big: '1180591620717411303424n',
      error: { name: 'TypeError', message: 'inner', cause: { message: 'deeper' } },
      at: '1970-01-01T00:00:00.000Z',
      f: 'function f',
    })
    for (const fields of [{ circle }, trap, { trap }, Object.create(null), undefined, null, 'text', 7, [1]]) {
      expect(JSON.stringify(boundedFields(fields))).toMatch(/^\{.*\}$/)
    }
    for (const message of [{ a: 1 }, 7n, null, undefined, circle, trap])
      expect(boundedMessage(message)).toBeTypeOf('string')
  })

  it('has a bound, and leaves no half of a secret where it cuts', () => {
    const url = 'postgres://user:hunter2-secret@db/x '
    for (const before of [16_384, 16_370, 16_360, 16_350]) {
      const text = `${'x'.repeat(before)} ${url}`
      expect(boundedMessage(text).length).toBeLessThan(16_500)
      expect(boundedMessage(text)).not.toContain('hun')
      const fields = JSON.stringify(boundedFields({ a: text.slice(10), password: 'hunter2' }))
      expect(fields.length).toBeLessThan(40_000)
      expect(fields).not.toContain('hun')
    }
  })

  // B145
  it('is masked by names and by forms', () => {
    expect(
      logCleaner.fields({
        password: 'a b',
        deep: [{ cvv: 1, note: 'Bearer abcdefgh1' }],
        error: new Error('postgres://u:p@h'),
      }),
    ).toMatchObject({
      password: '***',
      deep: [{ cvv: '***', note: 'Bearer ***' }],
      error: { message: 'postgres://***@h', stack: expect.not.stringContaining('u:p@') },
    })
    expect(logCleaner.message('sent Authorization: Bearer x')).toBe('sent Authorization: ***')
    expect(logCleaner.message({ pin: 1234 })).toBe('{"pin": ***}')
  })
})
