import { describe, expect, it } from 'vitest'
import { stopped, sumOf, outcomeKey, outcomeSummary, workDone } from '../../src/worker/outcome-counts.ts'

const next = (state: 'available' | 'waiting' | 'completed' | 'failed') =>
  ({
    state,
    waitReason: null,
    runAt: 0,
    retries: 1,
    failures: 0,
    crashes: 0,
    deferrals: 0,
    deferringSince: null,
    finishedAt: null,
  }) as const

describe('a counts', () => {
  it('counts jobs that came to rest by their state, other attempts by what happened', () => {
    expect(outcomeKey({ outcome: 'success', next: next('completed') }, 'applied')).toBe('completed')
    expect(outcomeKey({ outcome: 'poison', next: next('failed') }, 'applied')).toBe('failed')
    expect(outcomeKey({ outcome: 'lost', next: next('failed') }, 'applied')).toBe('failed')
    expect(outcomeKey({ outcome: 'fail', next: next('waiting') }, 'applied')).toBe('retried')
    expect(outcomeKey({ outcome: 'defer', next: next('waiting') }, 'applied')).toBe('deferred')
    expect(outcomeKey({ outcome: 'interrupted', next: next('available') }, 'applied')).toBe('returned')
    expect(outcomeKey({ outcome: 'lost', next: next('available') }, 'applied')).toBe('lost')
  })

  it('counts a job as stopped when the store would not take what its attempt wrote, and nothing for a stale report', () => {
    expect(outcomeKey({ outcome: 'success', next: next('completed') }, 'refused')).toBe('failed')
    expect(outcomeKey({ outcome: 'success', next: next('completed') }, 'stale')).toBe(null)
  })

  it('adds up, and tells work from attempts that only went round', () => {
    const sum = sumOf([{ completed: 2, lost: 1 }, { completed: 3, failed: 1, returned: 4 }, {}])
    expect(sum).toEqual({ completed: 5, failed: 1, lost: 1, returned: 4 })
    expect([workDone(sum), stopped(sum)]).toEqual([6, 1])
  })

  it('is one line for people', () => {
    expect(outcomeSummary({})).toBe('no job')
    expect(outcomeSummary({ completed: 1990, failed: 0 })).toBe('jobs: 1,990 completed')
    const all = {
      completed: 7,
      rejected: 6,
      failed: 5,
      dead: 4,
      retried: 3,
      deferred: 2,
      returned: 1,
      lost: 8,
    }
    expect(outcomeSummary(all)).toBe(
      'jobs: 7 completed, 6 rejected, 5 stopped with an incident, 4 set aside as dead letters; ' +
        'other attempts: 3 failed, 2 put off, 1 given back, 8 lost with their process',
    )
  })

  it('says of attempts that went round nothing about jobs', () => {
    expect(outcomeSummary({ retried: 5 })).toBe('no job came to rest; other attempts: 5 failed')
    expect(outcomeSummary({ completed: 1, deferred: 3 })).toBe('jobs: 1 completed; other attempts: 3 put off')
  })
})
