import { describe, expect, it } from 'vitest'
import { missingJobHint } from '../../../src/cli/input/not-found.ts'
import { nearSelector } from '../../../src/cli/input/suggestions.ts'

const store = (...keys: readonly number[]) => ({
  jobs: async () => ({ items: [...keys].sort((a, b) => b - a).map((key) => ({ key })), next: null }),
})

describe('the hint for a job that is not there', () => {
  it('says where the keys of the store are', async () => {
    expect(await missingJobHint(store(), 5)).toBe('the store has no jobs')
    expect(await missingJobHint(store(40, 60), 50)).toContain('wf jobs list')
    expect(await missingJobHint(store(40, 60), 600)).toBe('the newest job is 60')
  })
})

describe('the suggestion for a name that is not there', () => {
  it('is the most similar job type or worker', async () => {
    const from = {
      types: async () => [{ type: 'charge-payment' }, { type: 'send-mail' }],
      workers: async () => [{ id: 'web-1.1#3fa9c0de', label: 'web-1.1' }],
    }
    expect(await nearSelector(from, { types: ['chrage-payment', 'send-mail'] })).toBe(
      'did you mean charge-payment?',
    )
    expect(await nearSelector(from, { types: ['send'] })).toBe('did you mean send-mail?')
    expect(await nearSelector(from, { types: ['send-mail'] })).toBeNull()
    expect(await nearSelector(from, { types: ['something-else-entirely'] })).toBeNull()
    expect(await nearSelector(from, { workerId: 'wbe-1.1' })).toBe('did you mean web-1.1?')
    expect(await nearSelector(from, {})).toBeNull()
    expect(await nearSelector({}, { types: ['x'], workerId: 'x' })).toBeNull()
  })
})
