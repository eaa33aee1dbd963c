import { describe, expect, it } from 'vitest'
import { nearKeys, nearTypes } from '../../../src/cli/input/near.ts'

const store = (...keys: readonly number[]) => ({
  jobs: async ({ keys: asked }: { keys?: readonly number[] }, { sort }: { sort?: string }) => {
    const found = asked ? keys.filter((key) => asked.includes(key)) : [...keys].sort((a, b) => (sort === 'oldest' ? a - b : b - a)).slice(0, 1)
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

describe('a type that is not there', () => {
  it('is told the one that was probably meant', async () => {
    const from = { types: async () => [{ type: 'charge-payment' }, { type: 'send-mail' }] }
    expect((await nearTypes(from, ['chrage-payment', 'send-mail']))?.text).toBe('did you mean charge-payment?')
    expect(await nearTypes(from, ['send-mail'])).toBeNull()
    expect(await nearTypes(from, ['something-else-entirely'])).toBeNull()
    expect(await nearTypes(from, undefined)).toBeNull()
  })
})
