import { describe, expect, it } from 'vitest'
import { deadlineError } from '../../src/domain/decide.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import { boom, claimed, fail, judge, lost, now, runningJob, settled } from './builders.ts'

describe('deferrals', () => {
  const defer = (until: number, by: 'handler' | 'breaker' | 'bulkhead' | 'pause' = 'handler'): Outcome => ({
    kind: 'defer',
    until,
    reason: 'not yet',
    by,
  })

  // A12
  it('ten deferrals leave the retries alone and are counted', () => {
    let job = runningJob()
    for (let n = 0; n < 10; n++) job = claimed(settled(job, judge(job, defer(now + 1_000))), now)
    expect(job).toMatchObject({ retries: 3, deferrals: 10, failures: 0 })
  })

  // A12
  it.each(['handler', 'bulkhead'] as const)(
    '24 hours of deferrals in a row by the %s open an incident',
    (by) => {
      let job = runningJob()
      let at = now
      let settlement = judge(job, defer(at + 3_600_000, by), { at })
      while (settlement.next.state === 'waiting') {
        job = settled(job, settlement)
        at = job.runAt
        job = claimed(job, at)
        settlement = judge(job, defer(at + 3_600_000, by), { at })
      }
      expect(at - now).toBe(24 * 3_600_000)
      expect(settlement.incident).toMatchObject({
        kind: 'deferred_too_long',
        error: { code: 'DEFERRED_TOO_LONG' },
      })
      expect(settlement.next).toMatchObject({ state: 'failed', retries: 3 })
    },
  )

  it.each(['breaker', 'pause'] as const)('a %s may hold a job back for weeks without stopping it', (by) => {
    let job = runningJob()
    for (let day = 0; day < 30; day++) {
      job = settled(job, judge(job, defer(job.runAt + 86_400_000, by), { at: job.runAt }))
      expect(job.state).toBe('waiting')
      job = claimed(job, job.runAt)
    }
  })

  it('time that a breaker holds the job neither counts towards the 24 hours nor ends the row', () => {
    const hour = 3_600_000
    const handler = settled(runningJob(), judge(runningJob(), defer(now + hour)))
    const held = settled(
      claimed(handler, now + hour),
      judge(claimed(handler, now + hour), defer(now + 31 * hour, 'breaker'), { at: now + hour }),
    )
    const again = (at: number) => judge(claimed(held, at), defer(at + hour), { at })
    expect(again(now + 31 * hour).next.state).toBe('waiting')
    expect(again(now + 53 * hour).next.state).toBe('waiting')
    expect(again(now + 54 * hour).incident?.kind).toBe('deferred_too_long')
  })

  describe('an own call that failed before the breaker let no other through', () => {
    const hour = 3_600_000
    const own = (until: number): Outcome => ({
      kind: 'defer',
      until,
      reason: 'open; its own call had failed',
      by: 'breaker',
      failure: boom,
    })
    const minute = 60_000

    // A25
    it('is forgiven for an hour in a row, and is a failure from then on', () => {
      let job = runningJob()
      let settlement = judge(job, own(now + minute))
      while (settlement.outcome === 'defer') {
        expect(settlement.next).toMatchObject({
          state: 'waiting',
          waitReason: 'deferred',
          retries: 3,
          failures: 0,
          deferringSince: now,
        })
        job = claimed(settled(job, settlement), settlement.next.runAt)
        settlement = judge(job, own(job.runAt + minute), { at: job.runAt })
      }
      expect(job.runAt - now).toBe(hour)
      expect(settlement).toMatchObject({
        outcome: 'fail',
        next: { waitReason: 'backoff', retries: 2, failures: 1, deferringSince: null },
      })
      expect(settlement.attempt).toMatchObject({ outcome: 'fail', failureCategory: 'error', error: boom })
    })

    it('stops the job in the end with its own error, and not as deferred too long', () => {
      const job = runningJob({ retries: 1, deferringSince: now - hour })
      expect(judge(job, own(now + minute)).incident).toMatchObject({ kind: 'job_no_retries', error: boom })
      expect(judge({ ...job, deferringSince: now - 30 * hour }, own(now + minute)).incident?.kind).toBe(
        'job_no_retries',
      )
    })

    it('is another matter than not having been let through, which costs nothing however long it lasts', () => {
      const job = runningJob({ deferringSince: now - 2 * hour })
      expect(judge(job, defer(now + minute, 'breaker')).next).toMatchObject({ state: 'waiting', retries: 3 })
    })
  })

  it('any other outcome ends the row of deferrals', () => {
    expect(judge(runningJob({ deferringSince: now - 90_000_000 }), fail).next.deferringSince).toBeNull()
    expect(
      judge(runningJob({ deferringSince: now - 90_000_000 }), { kind: 'interrupted', reason: 'x' }).next
        .deferringSince,
    ).toBeNull()
  })

  // B025
  it('40,000 deferrals and then real failures: the failures alone spend the retries', () => {
    let job = runningJob()
    for (let n = 0; n < 40_000; n++)
      job = claimed(settled(job, judge(job, defer(job.runAt + 1_000), { at: job.runAt })), job.runAt)
    expect(job).toMatchObject({ retries: 3, deferrals: 40_000 })
    for (let n = 0; n < 2; n++) job = claimed(settled(job, judge(job, fail)), now)
    expect(judge(job, fail)).toMatchObject({
      next: { retries: 0, deferrals: 40_000 },
      incident: { kind: 'job_no_retries' },
    })
  })

  it.each([
    ['NaN', Number.NaN],
    ['a past instant', now - 1],
    ['-1', -1],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['the year 9999', Date.UTC(9999, 0)],
    // B027
  ])('a deferral until %s neither loses the job nor lets it spin', (_, until) => {
    const { next } = judge(runningJob(), defer(until))
    expect(next).toMatchObject({ state: 'waiting', waitReason: 'deferred', retries: 3 })
    expect(next.runAt).toBeGreaterThan(now)
    expect(next.runAt).toBeLessThan(now + 11 * 366 * 86_400_000)
    expect(Number.isInteger(next.runAt)).toBe(true)
  })
})

describe('deadlines', () => {
  it.each<[string, Outcome]>([
    ['a failure', fail],
    ['a deferral', { kind: 'defer', until: now + 5_000, reason: 'x', by: 'handler' }],
    ['a deferral by a breaker', { kind: 'defer', until: now + 5_000, reason: 'x', by: 'breaker' }],
    // A12
  ])('%s whose next start would come after the deadline opens an incident at once', (_, outcome) => {
    const { next, incident, attempt } = judge(runningJob({ deadlineAt: now + 999 }), outcome)
    expect(next).toMatchObject({ state: 'failed', waitReason: null })
    expect(incident).toMatchObject({ kind: 'deadline_exceeded', error: { code: 'DEADLINE_EXCEEDED' } })
    expect(attempt).toMatchObject({ outcome: outcome.kind, nextRunAt: null, backoffMs: null })
  })

  // A12
  it('the failure still spends its retry, and the incident names its cause', () => {
    const { next, incident } = judge(runningJob({ deadlineAt: now }), fail)
    expect(next).toMatchObject({ retries: 2, failures: 1 })
    expect(incident?.error.causes[0]).toEqual({ name: 'Error', message: 'boom', code: 'EBOOM' })
  })

  it('a start at the very instant of the deadline may happen', () => {
    expect(judge(runningJob({ deadlineAt: now + 1_000 }), fail).next.state).toBe('waiting')
  })

  it('a passed deadline stops what would come back, and nothing else', () => {
    const late = runningJob({ deadlineAt: now - 1 })
    for (const outcome of [lost, { kind: 'interrupted', reason: 'shutdown' } as Outcome])
      expect(judge(late, outcome).incident?.kind).toBe('deadline_exceeded')
    expect(judge(late, { kind: 'success' }).next.state).toBe('completed')
    expect(judge({ ...late, retries: 1 }, fail).incident?.kind).toBe('job_no_retries')
  })

  it('an instant beyond the calendar does not get in the way of the record', () => {
    expect(deadlineError(Number.MAX_SAFE_INTEGER, now).message).toContain(
      'would come after its deadline (9007199254740991)',
    )
  })
})
