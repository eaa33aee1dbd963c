import { describe, expect, it } from 'vitest'
import { prometheusText } from '../../src/metrics/prometheus.ts'
import type { LocalBreaker, NamedBreaker } from '../../src/domain/breaker-row.ts'
import type { CounterDelta } from '../../src/domain/stat-delta.ts'
import type { TypeView, WorkerView } from '../../src/store/views.ts'

const now = 1_000_000
const view = (over: Partial<TypeView>): TypeView => ({
  type: 'mail',
  declaration: null,
  pausedAt: null,
  pausedUntil: null,
  pausedBy: null,
  pauseReason: null,
  badStreak: 0,
  counts: {},
  oldestDueAt: null,
  workers: 1,
  ...over,
})

function textOf({
  counters = [],
  types = [],
  workers = [],
  breakers = [],
}: {
  counters?: CounterDelta[]
  types?: TypeView[]
  workers?: Pick<WorkerView, 'leaseUntil' | 'breakers'>[]
  breakers?: Pick<NamedBreaker, 'name' | 'mode' | 'expiresAt'>[]
}) {
  const reader = {
    counters: async () => counters,
    types: async () => types,
    workers: async () => workers as WorkerView[],
    breakers: async () => breakers as NamedBreaker[],
  }
  return prometheusText(reader, now)
}

describe('the Prometheus text', () => {
  it('gives counters, a cumulative histogram and gauges of the present', async () => {
    const text = await textOf({
      counters: [
        { metric: 'wf_worker_jobs_handled_total', labels: '{"outcome":"success","type":"mail"}', value: 7 },
        { metric: 'wf_worker_job_duration_seconds_bucket', labels: '{"le":"0.005","type":"mail"}', value: 5 },
        { metric: 'wf_worker_job_duration_seconds_bucket', labels: '{"le":"+Inf","type":"mail"}', value: 2 },
        { metric: 'wf_worker_job_duration_seconds_sum', labels: '{"type":"mail"}', value: 700.5 },
      ],
      types: [
        view({ counts: { available: 3, waiting: 2, failed: 4 }, oldestDueAt: now - 42_000, pausedAt: 1 }),
      ],
      workers: [{ leaseUntil: now + 1 }, { leaseUntil: now }],
    })
    const lines = text.split('\n')
    for (const line of [
      '# TYPE wf_worker_jobs_handled_total counter',
      'wf_worker_jobs_handled_total{outcome="success",type="mail"} 7',
      '# TYPE wf_worker_job_duration_seconds histogram',
      'wf_worker_job_duration_seconds_bucket{type="mail",le="0.002"} 0',
      'wf_worker_job_duration_seconds_bucket{type="mail",le="0.005"} 5',
      'wf_worker_job_duration_seconds_bucket{type="mail",le="300"} 5',
      'wf_worker_job_duration_seconds_bucket{type="mail",le="+Inf"} 7',
      'wf_worker_job_duration_seconds_sum{type="mail"} 700.5',
      'wf_worker_job_duration_seconds_count{type="mail"} 7',
      'wf_jobs{type="mail",state="available"} 3',
      'wf_jobs{type="mail",state="waiting"} 2',
      'wf_jobs{type="mail",state="running"} 0',
      'wf_oldest_due_seconds{type="mail"} 42',
      'wf_open_incidents{type="mail"} 4',
      'wf_type_paused{type="mail"} 1',
      'wf_workers 1',
    ]) {
      expect(lines).toContain(line)
    }
    expect(text.endsWith('\n')).toBe(true)
  })

  it('says each name once, with its help and kind before its samples', async () => {
    const text = await textOf({ types: [view({}), view({ type: 'charge' })] })
    const heads = text.split('\n').filter((line) => line.startsWith('# TYPE'))
    expect(new Set(heads).size).toBe(heads.length)
    expect(text).toMatch(/# HELP wf_jobs .*\n# TYPE wf_jobs gauge\nwf_jobs\{/)
  })

  it('lets no label break a line or open another', async () => {
    const text = await textOf({
      counters: [
        {
          metric: 'wf_worker_panics_total',
          labels: JSON.stringify({ type: 'a"} 1\nfake 2\\', 'bad name': 'x' }),
          value: 1,
        },
      ],
    })
    expect(text).toContain('wf_worker_panics_total{type="a\\"} 1\\nfake 2\\\\",bad_name="x"} 1\n')
    expect(text.split('\n').some((line) => line.startsWith('fake'))).toBe(false)
  })

  it('reads labels as data: text that is no JSON object gives none', async () => {
    const text = await textOf({
      counters: ['{', '7', 'null'].map((labels) => ({ metric: 'wf_worker_panics_total', labels, value: 1 })),
    })
    expect(text).toContain('wf_worker_panics_total 1\n')
  })

  // B044
  it("tells the worst of workers' own breakers, without those of dead workers", async () => {
    const own = (name: string, mode: LocalBreaker['mode']): LocalBreaker => ({
      ...{ name, mode, generation: 1, changedAt: 0, expiresAt: mode === 'open' ? now + 1 : null, types: [] },
    })
    const text = await textOf({
      breakers: [{ name: 'bank', mode: 'closed', expiresAt: null }],
      workers: [
        { leaseUntil: now + 1, breakers: [own('bank', 'half_open'), own('mail', 'closed')] },
        { leaseUntil: now + 1, breakers: [own('mail', 'open')] },
        { leaseUntil: now + 1 },
        { leaseUntil: now, breakers: [own('sms', 'open'), own('bank', 'open')] },
      ],
    })
    const gauges = text.split('\n').filter((line) => line.startsWith('wf_worker_circuit_breaker_state{'))
    expect(gauges).toEqual([
      'wf_worker_circuit_breaker_state{breaker="bank"} 1',
      'wf_worker_circuit_breaker_state{breaker="mail"} 2',
    ])
  })

  it('tells how each shared breaker stands, and that an opening is over', async () => {
    const text = await textOf({
      breakers: [
        { name: 'bank', mode: 'closed', expiresAt: null },
        { name: 'mail', mode: 'open', expiresAt: now + 1 },
        { name: 'sms', mode: 'open', expiresAt: now },
      ],
    })
    expect(text).toContain('wf_worker_circuit_breaker_state{breaker="bank"} 0\n')
    expect(text).toContain('wf_worker_circuit_breaker_state{breaker="mail"} 2\n')
    expect(text).toContain('wf_worker_circuit_breaker_state{breaker="sms"} 1\n')
  })
})
