import { describe, expect, it } from 'vitest'
import { errorRecord } from '../../src/domain/error-record.ts'
import type { Outcome, Settlement } from '../../src/domain/outcome.ts'
import { boom, child, claimed, fail, judge, lost, now, runningJob, settled, steady } from './builders.ts'

const deadLetterPolicy = { ...steady, onExhausted: 'dead-letter' as const }
const business = (declared: boolean): Outcome => ({ kind: 'business_error', code: 'CARD_DECLINED', message: 'no money', declared, error: boom })

/** What a row of the table says, next to what came out. */
function row({ next, incident, deadLetter, result }: Settlement) {
  const wait = next.waitReason ? `${next.state}(${next.waitReason})` : next.state
  return { next: wait, retries: next.retries, incident: incident?.kind ?? null, deadLetter: deadLetter?.reason ?? null, result }
}

describe('the life of a job', () => {
  const nothing = { incident: null, deadLetter: null, result: null }
  const table: readonly [string, Settlement, ReturnType<typeof row>][] = [
    ['success', judge(runningJob(), { kind: 'success', result: '{"a":1}' }), { ...nothing, next: 'completed', retries: 3, result: '{"a":1}' }],
    ['success without a result', judge(runningJob(), { kind: 'success' }), { ...nothing, next: 'completed', retries: 3 }],
    ['fail', judge(runningJob(), fail), { ...nothing, next: 'waiting(backoff)', retries: 2 }],
    ['timeout', judge(runningJob(), { ...fail, category: 'timeout' } as Outcome), { ...nothing, next: 'waiting(backoff)', retries: 2 }],
    ['fail with a delay of 0', judge(runningJob(), { ...fail, delayMs: 0 } as Outcome), { ...nothing, next: 'available', retries: 2 }],
    ['fail, none left', judge(runningJob({ retries: 1 }), fail), { ...nothing, next: 'failed', retries: 0, incident: 'job_no_retries' }],
    [
      'A15 fail, none left, with onExhausted dead-letter',
      judge(runningJob({ retries: 1 }), fail, { policy: deadLetterPolicy }),
      { ...nothing, next: 'dead', retries: 0, deadLetter: 'exhausted' },
    ],
    [
      'defer',
      judge(runningJob(), { kind: 'defer', until: now + 30_000, reason: 'busy', by: 'handler' }),
      { ...nothing, next: 'waiting(deferred)', retries: 3 },
    ],
    ['incident', judge(runningJob(), { kind: 'incident', incident: 'raised', error: boom }), { ...nothing, next: 'failed', retries: 3, incident: 'raised' }],
    [
      'incident by its alias',
      judge(runningJob(), { kind: 'incident', incident: 'non_retryable', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'non_retryable' },
    ],
    [
      'A13 poison',
      judge(runningJob(), { kind: 'poison', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'poison_message', deadLetter: 'poison' },
    ],
    ['A14 declared business error', judge(runningJob(), business(true)), { ...nothing, next: 'rejected', retries: 3 }],
    [
      'A14 undeclared business error',
      judge(runningJob(), business(false)),
      { ...nothing, next: 'failed', retries: 3, incident: 'unhandled_business_error' },
    ],
    ['interrupted', judge(runningJob(), { kind: 'interrupted', reason: 'shutdown' }), { ...nothing, next: 'available', retries: 3 }],
    ['first loss', judge(runningJob(), lost), { ...nothing, next: 'available', retries: 3 }],
    ['second loss', judge(runningJob({ crashes: 1 }), lost), { ...nothing, next: 'waiting(backoff)', retries: 3 }],
    ['A05 third loss', judge(runningJob({ crashes: 2 }), lost), { ...nothing, next: 'failed', retries: 3, incident: 'crash_loop' }],
    [
      'A17 result that cannot be stored',
      judge(runningJob(), { kind: 'result_invalid', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'result_invalid' },
    ],
  ]

  it.each(table)('%s', (_, settlement, expected) => {
    expect(row(settlement)).toEqual(expected)
  })

  it('hands the store the fence of the attempt it judged', () => {
    expect(judge(runningJob({ attempt: 4 }), fail).fence).toEqual({ jobKey: 7, attempt: 4, workerId: 'w#1' })
  })

  it('leaves a job that nobody holds with a fence that fits no row', () => {
    expect(judge(runningJob({ state: 'completed', workerId: null }), fail).fence.workerId).toBe('')
  })

  it('sets the end of a job exactly where there is one', () => {
    expect(judge(runningJob(), { kind: 'success' }).next.finishedAt).toBe(now)
    expect(judge(runningJob(), business(true)).next.finishedAt).toBe(now)
    for (const outcome of [fail, lost, business(false)]) expect(judge(runningJob(), outcome).next.finishedAt).toBeNull()
    expect(judge(runningJob({ retries: 1 }), fail, { policy: deadLetterPolicy }).next.finishedAt).toBeNull()
  })
})

describe('retries', () => {
  it('A09 B021 three executions wait 1 s and 2 s and end in an incident with no retries left', () => {
    let job = runningJob()
    const waits: number[] = []
    for (; ; job = claimed(job, job.runAt)) {
      const settlement = judge(job, fail, { at: job.runAt })
      if (settlement.next.state === 'waiting') waits.push(settlement.next.runAt - job.runAt)
      job = settled(job, settlement)
      if (job.state === 'failed') break
    }
    expect(waits).toEqual([1_000, 2_000])
    expect(job).toMatchObject({ state: 'failed', retries: 0, attempt: 3, failures: 3 })
  })

  it.each([
    [1, 1],
    [3, 3],
    [10, 10],
  ])('B021 retries %i means %i starts of a handler that always fails, however each attempt ends', (retries, starts) => {
    for (const category of ['error', 'timeout', 'hung'] as const) {
      let job = runningJob({ retries })
      while (job.state === 'running') {
        job = settled(job, judge(job, { kind: 'fail', error: boom, category }))
        if (job.state !== 'failed') job = claimed(job, job.runAt)
      }
      expect(job.attempt).toBe(starts)
    }
  })

  it('B021 losses and interruptions between the failures change nothing about their number', () => {
    let job = runningJob()
    for (const outcome of [lost, fail, { kind: 'interrupted', reason: 'shutdown' } as Outcome, lost, lost, fail, lost]) {
      job = claimed(settled(job, judge(job, outcome)), now)
    }
    expect(job).toMatchObject({ retries: 1, failures: 2, crashes: 1 })
    expect(judge(job, fail).incident?.kind).toBe('job_no_retries')
  })

  it('never goes below 0, even for a row that has none', () => {
    expect(judge(runningJob({ retries: 0 }), fail).next).toMatchObject({ retries: 0, state: 'failed' })
  })

  it('a RetryError delay takes the place of one backoff, and is bounded whatever it is', () => {
    const delayed = (delayMs: number) => judge(runningJob(), { kind: 'fail', error: boom, category: 'error', delayMs })
    expect(delayed(5_000).next.runAt).toBe(now + 5_000)
    expect(delayed(-1).next).toMatchObject({ state: 'available', runAt: now })
    expect(delayed(Number.NaN).next.runAt).toBe(now + 1_000)
    expect(delayed(Number.POSITIVE_INFINITY).next.runAt).toBeLessThan(now + 11 * 366 * 86_400_000)
  })
})

describe('losses', () => {
  it('A05 the first loss waits 0, the next 1 s, and retries and failures stay as they were', () => {
    const first = judge(runningJob({ failures: 1, retries: 2 }), lost)
    expect(first.next).toMatchObject({ state: 'available', runAt: now, crashes: 1, failures: 1, retries: 2 })
    const second = judge(claimed(settled(runningJob(), first), now), lost)
    expect(second.next).toMatchObject({ state: 'waiting', waitReason: 'backoff', runAt: now + 1_000, crashes: 2 })
  })

  it('A05 an ordinary failure between losses starts their count again', () => {
    let job = runningJob()
    for (const outcome of [lost, fail, lost, lost]) job = claimed(settled(job, judge(job, outcome)), now)
    expect(job.crashes).toBe(2)
    expect(judge(job, lost).incident?.kind).toBe('crash_loop')
  })

  it.each<Outcome>([
    { kind: 'success' },
    fail,
    { kind: 'defer', until: now + 1_000, reason: 'x', by: 'breaker' },
    { kind: 'interrupted', reason: 'shutdown' },
    { kind: 'poison', error: boom },
  ])('$kind sets the losses in a row to 0', (outcome) => {
    expect(judge(runningJob({ crashes: 2 }), outcome).next.crashes).toBe(0)
  })

  it('a crash loop says what was lost, and groups with its like whatever the process was called', () => {
    const one = judge(runningJob({ crashes: 2 }), lost).incident
    const two = judge(runningJob({ crashes: 2, key: 8 }), { ...lost, detail: 'worker x#9 (pid 1) ended with SIGSEGV' } as Outcome).incident
    expect(one?.error.causes[0]?.message).toContain('SIGKILL')
    expect(one?.fingerprint).toBe(two?.fingerprint)
  })
})

describe('deferrals', () => {
  const defer = (until: number, by: 'handler' | 'breaker' | 'bulkhead' | 'pause' = 'handler'): Outcome => ({ kind: 'defer', until, reason: 'not yet', by })

  it('A12 ten deferrals leave the retries alone and are counted', () => {
    let job = runningJob()
    for (let n = 0; n < 10; n++) job = claimed(settled(job, judge(job, defer(now + 1_000))), now)
    expect(job).toMatchObject({ retries: 3, deferrals: 10, failures: 0 })
  })

  it.each(['handler', 'bulkhead'] as const)('A12 24 hours of deferrals in a row by the %s open an incident', (by) => {
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
    expect(settlement.incident).toMatchObject({ kind: 'deferred_too_long', error: { code: 'DEFERRED_TOO_LONG' } })
    expect(settlement.next).toMatchObject({ state: 'failed', retries: 3 })
  })

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
    const held = settled(claimed(handler, now + hour), judge(claimed(handler, now + hour), defer(now + 31 * hour, 'breaker'), { at: now + hour }))
    const again = (at: number) => judge(claimed(held, at), defer(at + hour), { at })
    expect(again(now + 31 * hour).next.state).toBe('waiting')
    expect(again(now + 53 * hour).next.state).toBe('waiting')
    expect(again(now + 54 * hour).incident?.kind).toBe('deferred_too_long')
  })

  it('any other outcome ends the row of deferrals', () => {
    expect(judge(runningJob({ deferringSince: now - 90_000_000 }), fail).next.deferringSince).toBeNull()
    expect(judge(runningJob({ deferringSince: now - 90_000_000 }), { kind: 'interrupted', reason: 'x' }).next.deferringSince).toBeNull()
  })

  it('B025 40,000 deferrals and then real failures: the failures alone spend the retries', () => {
    let job = runningJob()
    for (let n = 0; n < 40_000; n++) job = claimed(settled(job, judge(job, defer(job.runAt + 1_000), { at: job.runAt })), job.runAt)
    expect(job).toMatchObject({ retries: 3, deferrals: 40_000 })
    for (let n = 0; n < 2; n++) job = claimed(settled(job, judge(job, fail)), now)
    expect(judge(job, fail)).toMatchObject({ next: { retries: 0, deferrals: 40_000 }, incident: { kind: 'job_no_retries' } })
  })

  it.each([
    ['NaN', Number.NaN],
    ['a past instant', now - 1],
    ['-1', -1],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['the year 9999', Date.UTC(9999, 0)],
  ])('B027 a deferral until %s neither loses the job nor lets it spin', (_, until) => {
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
  ])('A12 %s whose next start would come after the deadline opens an incident at once', (_, outcome) => {
    const { next, incident, attempt } = judge(runningJob({ deadlineAt: now + 999 }), outcome)
    expect(next).toMatchObject({ state: 'failed', waitReason: null })
    expect(incident).toMatchObject({ kind: 'deadline_exceeded', error: { code: 'DEADLINE_EXCEEDED' } })
    expect(attempt).toMatchObject({ outcome: outcome.kind, nextRunAt: null, backoffMs: null })
  })

  it('A12 the failure still spends its retry, and the incident names its cause', () => {
    const { next, incident } = judge(runningJob({ deadlineAt: now }), fail)
    expect(next).toMatchObject({ retries: 2, failures: 1 })
    expect(incident?.error.causes[0]).toEqual({ name: 'Error', message: 'boom', code: 'EBOOM' })
  })

  it('a start at the very instant of the deadline may happen', () => {
    expect(judge(runningJob({ deadlineAt: now + 1_000 }), fail).next.state).toBe('waiting')
  })

  it('a passed deadline stops what would come back, and nothing else', () => {
    const late = runningJob({ deadlineAt: now - 1 })
    for (const outcome of [lost, { kind: 'interrupted', reason: 'shutdown' } as Outcome]) expect(judge(late, outcome).incident?.kind).toBe('deadline_exceeded')
    expect(judge(late, { kind: 'success' }).next.state).toBe('completed')
    expect(judge({ ...late, retries: 1 }, fail).incident?.kind).toBe('job_no_retries')
  })
})

describe('attempt rows', () => {
  it('a success leaves none', () => {
    expect(judge(runningJob(), { kind: 'success' }).attempt).toBeNull()
  })

  it('a failure leaves its error, its category and when the next one starts', () => {
    expect(judge(runningJob(), { ...fail, category: 'timeout' } as Outcome).attempt).toEqual({
      jobKey: 7,
      attempt: 1,
      workerId: 'w#1',
      startedAt: now - 1_000,
      finishedAt: now,
      outcome: 'fail',
      error: boom,
      failureCategory: 'timeout',
      nonRetryable: false,
      backoffMs: 1_000,
      nextRunAt: now + 1_000,
    })
  })

  it('the last failure names no next start', () => {
    expect(judge(runningJob({ retries: 1 }), fail).attempt).toMatchObject({ backoffMs: null, nextRunAt: null })
  })

  it('A14 a business error keeps its own code and message, whatever the error carried', () => {
    expect(judge(runningJob(), business(true)).attempt).toMatchObject({ nonRetryable: true, error: { code: 'CARD_DECLINED', message: 'no money' } })
    expect(judge(runningJob(), business(false)).incident?.error).toMatchObject({ code: 'CARD_DECLINED', message: 'no money' })
  })

  it.each<[Outcome, string]>([
    [lost, 'WORKER_DIED'],
    [{ kind: 'interrupted', reason: 'shutdown' }, 'INTERRUPTED'],
    [{ kind: 'defer', until: now + 1_000, reason: 'breaker stripe is open', by: 'breaker' }, 'BY_BREAKER'],
  ])('$0.kind says why', (outcome, code) => {
    expect(judge(runningJob(), outcome).attempt?.error?.code).toBe(code)
  })

  it('B030 what a handler said in words is as bounded as its errors', () => {
    const huge = 'x'.repeat(1_000_000)
    const outcomes: Outcome[] = [
      { kind: 'defer', until: now, reason: huge, by: 'handler' },
      { kind: 'business_error', code: huge, message: huge, declared: false, error: errorRecord(huge) },
      { kind: 'interrupted', reason: huge },
      { kind: 'lost', reason: 'worker_died', detail: huge },
    ]
    for (const outcome of outcomes) expect(JSON.stringify(judge(runningJob({ crashes: 2 }), outcome)).length).toBeLessThan(40_000)
  })
})

describe('children', () => {
  const children = [child('success'), child('stopped')]
  it.each<[string, Settlement, string[]]>([
    ['completion', judge(runningJob(), { kind: 'success' }, { children }), ['success']],
    ['a failure that is tried again', judge(runningJob(), fail, { children }), []],
    ['a deferral', judge(runningJob(), { kind: 'defer', until: now, reason: 'x', by: 'handler' }, { children }), []],
    ['a loss', judge(runningJob(), lost, { children }), []],
    ['an incident', judge(runningJob({ retries: 1 }), fail, { children }), ['stopped']],
    ['a dead letter', judge(runningJob({ retries: 1 }), fail, { children, policy: deadLetterPolicy }), ['stopped']],
    ['a rejection', judge(runningJob(), business(true), { children }), ['stopped']],
  ])('A18 %s creates the children meant for it, and no others', (_, settlement, expected) => {
    expect(settlement.children.map(({ type }) => type)).toEqual(expected)
    for (const created of settlement.children) expect(created).not.toHaveProperty('when')
  })
})
