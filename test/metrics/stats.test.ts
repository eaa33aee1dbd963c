import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../src/domain/job.ts'
import type { Outcome, OutcomeKind } from '../../src/domain/outcome.ts'
import type { EngineEventMap } from '../../src/engine/events.ts'
import { createEvents } from '../../src/engine/events.ts'
import { bucketOf } from '../../src/metrics/attempt-totals.ts'
import { durationBucketsMs } from '../../src/metrics/names.ts'
import { createStats } from '../../src/metrics/stats.ts'
import type { CounterDelta, StatDelta } from '../../src/domain/stat-delta.ts'
import type { Progress, Settled } from '../../src/store/port.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { capturedLog } from '../support/captured-log.ts'

interface Written {
  stats: readonly StatDelta[]
  counters: readonly CounterDelta[]
  progress: readonly Progress[]
}

function setUp() {
  const clock = createFakeClock(600_000)
  const events = createEvents()
  const log = capturedLog()
  const written: Written[] = []
  let fault: Error | null = null
  const store = {
    now: clock.now,
    async addStats(
      stats: readonly StatDelta[],
      counters: readonly CounterDelta[],
      progress: readonly Progress[],
    ) {
      if (fault) throw fault
      written.push({ stats, counters, progress })
    },
  }
  const stats = createStats({ events, store, clock, log })
  stats.start()
  const settle = (attempt: {
    type?: string
    outcome?: Partial<Outcome> & { kind: OutcomeKind }
    durationMs?: number
    result?: Settled
    incident?: boolean
  }) => {
    const {
      type = 'mail',
      outcome = { kind: 'success' },
      durationMs = 3,
      result = 'applied',
      incident = false,
    } = attempt
    const payload = {
      end: { job: { type } as Job, outcome, durationMs },
      settlement: { type, outcome: outcome.kind, incident: incident ? {} : null },
      result,
      now: clock.now(),
    }
    events.emit('settled', payload as unknown as EngineEventMap['settled'])
  }
  return { clock, events, log, written, stats, settle, break: (error: Error | null) => (fault = error) }
}

const counter = (written: Written | undefined, metric: string) =>
  Object.fromEntries(
    (written?.counters ?? [])
      .filter((each) => each.metric === metric)
      .map(({ labels, value }) => [labels, value]),
  )

describe('the roll-up of attempts', () => {
  it('writes once a second what was added up by minute, type, outcome and duration, and nothing while nothing happens', async () => {
    const { clock, written, stats, settle } = setUp()
    for (const durationMs of [0.4, 0.6, 3]) settle({ durationMs })
    settle({ outcome: { kind: 'fail' }, durationMs: 400 })
    settle({ type: 'charge', durationMs: 400_000 })
    await clock.advance(999)
    expect(written).toEqual([])
    await clock.advance(1)
    expect(written).toHaveLength(1)
    expect(written[0]?.stats).toEqual([
      { minute: 600_000, type: 'mail', outcome: 'success', bucket: 0, count: 2, sumMs: 1 },
      { minute: 600_000, type: 'mail', outcome: 'success', bucket: 2, count: 1, sumMs: 3 },
      { minute: 600_000, type: 'mail', outcome: 'fail', bucket: 8, count: 1, sumMs: 400 },
      {
        minute: 600_000,
        type: 'charge',
        outcome: 'success',
        bucket: durationBucketsMs.length,
        count: 1,
        sumMs: 400_000,
      },
    ])
    await clock.advance(60_000)
    expect(written).toHaveLength(1)
    await stats.stop()
    expect(clock.pendingTimers).toBe(0)
  })

  it('tells minutes apart, also within one flush', async () => {
    const { clock, written, stats, settle } = setUp()
    await clock.advance(59_800)
    settle({})
    await clock.advance(500)
    settle({})
    await stats.stop()
    expect(written.flatMap((each) => each.stats).map(({ minute, count }) => [minute, count])).toEqual([
      [600_000, 1],
      [660_000, 1],
    ])
  })

  it('counts what came to an end under the fixed names, and what did not as nothing handled', async () => {
    const { written, stats, settle } = setUp()
    settle({})
    settle({ outcome: { kind: 'fail' } })
    settle({ outcome: { kind: 'business_error' } })
    settle({ outcome: { kind: 'business_error' }, incident: true })
    settle({ outcome: { kind: 'incident' } })
    settle({ outcome: { kind: 'result_invalid' } })
    settle({ result: 'refused' })
    settle({ outcome: { kind: 'poison' } })
    settle({ outcome: { kind: 'lost' } })
    settle({ outcome: { kind: 'interrupted' } })
    settle({ outcome: { kind: 'defer', by: 'breaker' } })
    settle({ outcome: { kind: 'defer', by: 'handler' } })
    await stats.stop()
    expect(counter(written[0], 'wf_worker_jobs_handled_total')).toEqual({
      '{"outcome":"success","type":"mail"}': 1,
      '{"outcome":"fail","type":"mail"}': 1,
      '{"outcome":"bpmn_error","type":"mail"}': 1,
      '{"outcome":"incident","type":"mail"}': 4,
      '{"outcome":"poison","type":"mail"}': 1,
    })
    expect(counter(written[0], 'wf_worker_job_duration_seconds_sum')).toEqual({
      '{"type":"mail"}': expect.closeTo(0.024, 6),
    })
    expect(counter(written[0], 'wf_worker_job_duration_seconds_bucket')).toEqual({
      '{"le":"0.005","type":"mail"}': 8,
    })
    expect(counter(written[0], 'wf_worker_backpressure_events_total')).toEqual({
      '{"reason":"breaker","type":"mail"}': 1,
    })
  })

  it('does not count a stale report', async () => {
    const { written, stats, settle } = setUp()
    settle({ result: 'stale' })
    await stats.stop()
    expect(written).toEqual([])
  })

  it('keeps what a failed flush could not write, tries again, says so once, and loses and doubles nothing', async () => {
    const { clock, log, written, stats, settle, break: breakStore } = setUp()
    breakStore(new Error('the disk is full'))
    for (let second = 0; second < 90; second++) {
      settle({})
      await clock.advance(1_000)
    }
    expect(written).toEqual([])
    expect(log.lines.map(({ message }) => message)).toEqual([
      'statistics not stored, will retry: the disk is full',
    ])
    breakStore(null)
    await clock.advance(1_000)
    expect(written[0]?.stats.map(({ minute, count }) => [minute, count])).toEqual([
      [600_000, 60],
      [660_000, 30],
    ])
    expect(counter(written[0], 'wf_worker_jobs_handled_total')).toEqual({
      '{"outcome":"success","type":"mail"}': 90,
    })
    await stats.stop()
    expect(written).toHaveLength(1)
  })

  it('passes on the latest progress of each job, within 0 and 1, and drops one that is no number', async () => {
    const { events, written, stats } = setUp()
    events.emit('progress', { jobKey: 1, attempt: 1, fraction: 0.2, note: 'a' })
    events.emit('progress', { jobKey: 1, attempt: 1, fraction: 7, note: 'b' })
    events.emit('progress', { jobKey: 2, attempt: 1, fraction: Number.NaN, note: null })
    await stats.stop()
    expect(written[0]?.progress).toEqual([{ jobKey: 1, attempt: 1, fraction: 1, note: 'b' }])
  })

  it('keeps progress that could not be written, unless the job has said something newer since', async () => {
    const { events, written, stats, break: breakStore } = setUp()
    events.emit('progress', { jobKey: 1, attempt: 1, fraction: 0.1, note: 'old' })
    events.emit('progress', { jobKey: 2, attempt: 1, fraction: 0.5, note: 'kept' })
    breakStore(new Error('locked'))
    const refused = stats.flush()
    events.emit('progress', { jobKey: 1, attempt: 1, fraction: 0.2, note: 'new' })
    expect(await refused).toBe(false)
    breakStore(null)
    await stats.stop()
    expect(written[0]?.progress.map(({ jobKey, note }) => [jobKey, note])).toEqual([
      [1, 'new'],
      [2, 'kept'],
    ])
  })

  it('adds up what is counted elsewhere, whatever the order of its labels', async () => {
    const { events, written, stats } = setUp()
    events.emit('counted', {
      metric: 'wf_worker_retries_total',
      labels: { type: 'a', dependency: 'b' },
      value: 1,
    })
    events.emit('counted', {
      metric: 'wf_worker_retries_total',
      labels: { dependency: 'b', type: 'a' },
      value: 2,
    })
    await stats.stop()
    expect(written[0]?.counters).toEqual([
      { metric: 'wf_worker_retries_total', labels: '{"dependency":"b","type":"a"}', value: 3 },
    ])
  })

  it('listens once, and no longer after stop', async () => {
    const { written, stats, settle } = setUp()
    stats.start()
    settle({})
    await stats.stop()
    settle({})
    await stats.flush()
    expect(written.flatMap((each) => each.stats).map(({ count }) => count)).toEqual([1])
  })

  it('puts every duration into the first bucket that it fits', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (durationMs) => {
        const bucket = bucketOf(durationMs)
        const upTo = durationBucketsMs[bucket] ?? Number.POSITIVE_INFINITY
        const above = durationBucketsMs[bucket - 1] ?? Number.NEGATIVE_INFINITY
        expect(durationMs <= upTo && durationMs > above).toBe(true)
      }),
    )
  })

  it('writes in sum what was settled, whatever fails in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.boolean(), fc.nat(1_500)), { maxLength: 60 }),
        async (steps) => {
          const { clock, written, stats, settle, break: breakStore } = setUp()
          for (const [type, broken, waitMs] of steps) {
            breakStore(broken ? new Error('no') : null)
            settle({ type })
            await clock.advance(waitMs)
          }
          breakStore(null)
          await stats.stop()
          for (const type of ['a', 'b']) {
            const sum = written
              .flatMap((each) => each.stats)
              .reduce((total, stat) => total + (stat.type === type ? stat.count : 0), 0)
            expect(sum).toBe(steps.filter(([of]) => of === type).length)
          }
        },
      ),
      { numRuns: 30 },
    )
  })
})
