import { describe, expect, it } from 'vitest'
import { stopped, sumOf, tallyKey, wordsOfTally, workDone } from '../../src/worker/tally.ts'

const next = (state: 'available' | 'waiting' | 'completed' | 'failed') =>
  ({ state, waitReason: null, runAt: 0, retries: 1, failures: 0, crashes: 0, deferrals: 0, deferringSince: null, finishedAt: null }) as const

describe('a tally', () => {
  it('counts jobs that came to rest by their state, other attempts by what happened', () => {
    expect(tallyKey({ outcome: 'success', next: next('completed') })).toBe('completed')
    expect(tallyKey({ outcome: 'poison', next: next('failed') })).toBe('failed')
    expect(tallyKey({ outcome: 'lost', next: next('failed') })).toBe('failed')
    expect(tallyKey({ outcome: 'fail', next: next('waiting') })).toBe('retried')
    expect(tallyKey({ outcome: 'defer', next: next('waiting') })).toBe('deferred')
    expect(tallyKey({ outcome: 'interrupted', next: next('available') })).toBe('returned')
    expect(tallyKey({ outcome: 'lost', next: next('available') })).toBe('lost')
  })

  it('adds up, and tells work from attempts that only went round', () => {
    const sum = sumOf([{ completed: 2, lost: 1 }, { completed: 3, failed: 1, returned: 4 }, {}])
    expect(sum).toEqual({ completed: 5, failed: 1, lost: 1, returned: 4 })
    expect([workDone(sum), stopped(sum)]).toEqual([6, 1])
  })

  it('is one line for people', () => {
    expect(wordsOfTally({})).toBe('no job')
    expect(wordsOfTally({ completed: 1990, failed: 0, retried: 3 })).toBe('1,990 completed, 3 to be tried again')
  })
})
