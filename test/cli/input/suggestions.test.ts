import { describe, expect, it } from 'vitest'
import { nearKeys, nearNumber, nearSelector } from '../../../src/cli/input/suggestions.ts'

const store = (...keys: readonly number[]) => ({
  jobs: async ({ keys: asked }: { keys?: readonly number[] }, { sort }: { sort?: string }) => {
    const found = asked
      ? keys.filter((key) => asked.includes(key))
      : [...keys].sort((a, b) => (sort === 'oldest' ? a - b : b - a)).slice(0, 1)
    return { items: found.map((key) => ({ key })), next: null }
  },
})

describe('a key that is not there', () => {
  it('is told where the keys are, and which one is a slip away', async () => {
    expect(await nearKeys(store(), 5)).toBe('it has no jobs')
    expect(await nearKeys(store(40, 60), 5)).toContain('the oldest job that is kept is 40')
    expect(await nearKeys(store(40, 60), 50)).toContain('wf jobs list')
    expect(await nearKeys(store(40, 60), 600)).toBe('did you mean 60? The newest job is 60')
    expect(await nearKeys(store(17, 40), 71)).toBe('did you mean 17? The newest job is 40')
    expect(await nearKeys(store(40, 60, 66), 660)).toBe('The newest job is 66')
    expect(await nearKeys(store(1), Number.MAX_SAFE_INTEGER)).toBe('The newest job is 1')
  })
})

describe('a name that is not there', () => {
  it('is told the one that was probably meant, of whatever it is the name', async () => {
    const from = {
      types: async () => [{ type: 'charge-payment' }, { type: 'send-mail' }],
      workers: async () => [{ id: 'web-1.1#3fa9c0de', label: 'web-1.1' }],
      causes: async () => [
        { fingerprint: '3fa94c1d0b7e2a65', code: 'ETIMEDOUT' },
        { fingerprint: '00a94c1d0b7e2a99', code: null },
      ],
      deadLetters: async () => ({ items: [{ errorCode: 'CARD_EXPIRED' }, { errorCode: null }], next: null }),
    }
    expect(await nearSelector(from, { types: ['chrage-payment', 'send-mail'] })).toBe(
      'did you mean charge-payment?',
    )
    expect(await nearSelector(from, { types: ['send'] })).toBe('did you mean send-mail?')
    expect(await nearSelector(from, { types: ['send-mail'] })).toBeNull()
    expect(await nearSelector(from, { types: ['something-else-entirely'] })).toBeNull()
    expect(await nearSelector(from, { workerId: 'wbe-1.1' })).toBe('did you mean web-1.1?')
    expect(await nearSelector(from, { fingerprints: ['3fa94c1d0b7e2a56'] })).toBe(
      'did you mean 3fa94c1d0b7e2a65?',
    )
    expect(await nearSelector(from, { codes: ['ETIMEOUT', 'CARD_EXPIERD'] })).toBe(
      'did you mean ETIMEDOUT and CARD_EXPIRED?',
    )
    expect(await nearSelector(from, {})).toBeNull()
    expect(
      await nearSelector({}, { types: ['x'], workerId: 'x', codes: ['x'], fingerprints: ['x'] }),
    ).toBeNull()
  })
})

describe('a number that is not there', () => {
  it('is told the only one that is a slip away', async () => {
    const among =
      (...there: readonly number[]) =>
      async (asked: readonly number[]) =>
        asked.filter((each) => there.includes(each))
    expect(await nearNumber(122, among(12, 40))).toEqual([12])
    expect(await nearNumber(122, among(12, 22))).toEqual([])
    expect(await nearNumber(7, among(12))).toEqual([])
  })
})
