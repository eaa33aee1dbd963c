import { describe, expect, it } from 'vitest'
import { errorRecord } from '../../src/domain/error-record.ts'
import type { Outcome, Settlement } from '../../src/domain/outcome.ts'
import { boom, child, claimed, fail, judge, lost, now, runningJob, settled, steady } from './builders.ts'

const deadLetterPolicy = { ...steady, onExhausted: 'dead-letter' as const }
const business = (declared: boolean): Outcome => ({
  kind: 'business_error',
  code: 'CARD_DECLINED',
  message: 'no money',
  declared,
  error: boom,
})

/** What a row of the table says, next to what came out. */
function row({ next, incident, deadLetter, result }: Settlement) {
  const wait = next.waitReason ? `${next.state}(${next.waitReason})` : next.state
  return {
    next: wait,
    retries: next.retries,
    incident: incident?.kind ?? null,
    deadLetter: deadLetter?.reason ?? null,
    result,
  }
}

describe('the life of a job', () => {
  const nothing = { incident: null, deadLetter: null, result: null }
  const table: readonly [string, Settlement, ReturnType<typeof row>][] = [
    [
      'success',
      judge(runningJob(), { kind: 'success', result: '{"a":1}' }),
      { ...nothing, next: 'completed', retries: 3, result: '{"a":1}' },
    ],
    [
      'success without a result',
      judge(runningJob(), { kind: 'success' }),
      { ...nothing, next: 'completed', retries: 3 },
    ],
    ['fail', judge(runningJob(), fail), { ...nothing, next: 'waiting(backoff)', retries: 2 }],
    [
      'timeout',
      judge(runningJob(), { ...fail, category: 'timeout' } as Outcome),
      { ...nothing, next: 'waiting(backoff)', retries: 2 },
    ],
    [
      'fail with a delay of 0',
      judge(runningJob(), { ...fail, delayMs: 0 } as Outcome),
      { ...nothing, next: 'available', retries: 2 },
    ],
    [
      'fail, none left',
      judge(runningJob({ retries: 1 }), fail),
      { ...nothing, next: 'failed', retries: 0, incident: 'job_no_retries' },
    ],
    [
      // A15
      'fail, none left, with onExhausted dead-letter',
      judge(runningJob({ retries: 1 }), fail, { policy: deadLetterPolicy }),
      { ...nothing, next: 'dead', retries: 0, deadLetter: 'exhausted' },
    ],
    [
      'defer',
      judge(runningJob(), { kind: 'defer', until: now + 30_000, reason: 'busy', by: 'handler' }),
      { ...nothing, next: 'waiting(deferred)', retries: 3 },
    ],
    [
      'incident',
      judge(runningJob(), { kind: 'incident', incident: 'raised', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'raised' },
    ],
    [
      'incident by its alias',
      judge(runningJob(), { kind: 'incident', incident: 'non_retryable', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'non_retryable' },
    ],
    [
      // A13
      'poison',
      judge(runningJob(), { kind: 'poison', error: boom }),
      { ...nothing, next: 'failed', retries: 3, incident: 'poison_message', deadLetter: 'poison' },
    ],
    // A14
    [
      'declared business error',
      judge(runningJob(), business(true)),
      { ...nothing, next: 'rejected', retries: 3 },
    ],
    [
      // A14
      'undeclared business error',
      judge(runningJob(), business(false)),
      { ...nothing, next: 'failed', retries: 3, incident: 'unhandled_business_error' },
    ],
    [
      'interrupted',
      judge(runningJob(), { kind: 'interrupted', reason: 'shutdown' }),
      { ...nothing, next: 'available', retries: 3 },
    ],
    ['first loss', judge(runningJob(), lost), { ...nothing, next: 'available', retries: 3 }],
    [
      'second loss',
      judge(runningJob({ crashes: 1 }), lost),
      { ...nothing, next: 'waiting(backoff)', retries: 3 },
    ],
    // A05
    [
      'third loss',
      judge(runningJob({ crashes: 2 }), lost),
      { ...nothing, next: 'failed', retries: 3, incident: 'crash_loop' },
    ],
    [
      // A17
      'result that cannot be stored',
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
    for (const outcome of [fail, lost, business(false)])
      expect(judge(runningJob(), outcome).next.finishedAt).toBeNull()
    expect(judge(runningJob({ retries: 1 }), fail, { policy: deadLetterPolicy }).next.finishedAt).toBeNull()
  })
})

describe('retries', () => {
  // A09 B021
  it('three executions wait 1 s and 2 s and end in an incident with no retries left', () => {
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
    // B021
  ])(
    'retries %i means %i starts of a handler that always fails, however each attempt ends',
    (retries, starts) => {
      for (const category of ['error', 'timeout', 'hung'] as const) {
        let job = runningJob({ retries })
        while (job.state === 'running') {
          job = settled(job, judge(job, { kind: 'fail', error: boom, category }))
          if (job.state !== 'failed') job = claimed(job, job.runAt)
        }
        expect(job.attempt).toBe(starts)
      }
    },
  )

  // B021
  it('losses and interruptions between the failures change nothing about their number', () => {
    let job = runningJob()
    for (const outcome of [
      lost,
      fail,
      { kind: 'interrupted', reason: 'shutdown' } as Outcome,
      lost,
      lost,
      fail,
      lost,
    ]) {
      job = claimed(settled(job, judge(job, outcome)), now)
    }
    expect(job).toMatchObject({ retries: 1, failures: 2, crashes: 1 })
    expect(judge(job, fail).incident?.kind).toBe('job_no_retries')
  })

  it('never goes below 0, even for a row that has none', () => {
    expect(judge(runningJob({ retries: 0 }), fail).next).toMatchObject({ retries: 0, state: 'failed' })
  })

  it('a RetryError delay takes the place of one backoff, and is bounded whatever it is', () => {
    const delayed = (delayMs: number) =>
      judge(runningJob(), { kind: 'fail', error: boom, category: 'error', delayMs })
    expect(delayed(5_000).next.runAt).toBe(now + 5_000)
    expect(delayed(-1).next).toMatchObject({ state: 'available', runAt: now })
    expect(delayed(Number.NaN).next.runAt).toBe(now + 1_000)
    expect(delayed(Number.POSITIVE_INFINITY).next.runAt).toBeLessThan(now + 11 * 366 * 86_400_000)
  })
})

describe('losses', () => {
  // A05
  it('the first loss waits 0, the next 1 s, and retries and failures stay as they were', () => {
    const first = judge(runningJob({ failures: 1, retries: 2 }), lost)
    expect(first.next).toMatchObject({ state: 'available', runAt: now, crashes: 1, failures: 1, retries: 2 })
    const second = judge(claimed(settled(runningJob(), first), now), lost)
    expect(second.next).toMatchObject({
      state: 'waiting',
      waitReason: 'backoff',
      runAt: now + 1_000,
      crashes: 2,
    })
  })

  // A05
  it('an ordinary failure between losses starts their count again', () => {
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
    const two = judge(runningJob({ crashes: 2, key: 8 }), {
      ...lost,
      detail: 'worker x#9 (pid 1) ended with SIGSEGV',
    } as Outcome).incident
    expect(one?.error.causes[0]?.message).toContain('SIGKILL')
    expect(one?.fingerprint).toBe(two?.fingerprint)
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
    expect(judge(runningJob({ retries: 1 }), fail).attempt).toMatchObject({
      backoffMs: null,
      nextRunAt: null,
    })
  })

  // A14
  it('a business error keeps its own code and message, whatever the error carried', () => {
    expect(judge(runningJob(), business(true)).attempt).toMatchObject({
      nonRetryable: true,
      error: { code: 'CARD_DECLINED', message: 'no money' },
    })
    expect(judge(runningJob(), business(false)).incident?.error).toMatchObject({
      code: 'CARD_DECLINED',
      message: 'no money',
    })
  })

  it.each<[Outcome, string]>([
    [lost, 'WORKER_DIED'],
    [{ kind: 'interrupted', reason: 'shutdown' }, 'INTERRUPTED'],
    [{ kind: 'defer', until: now + 1_000, reason: 'breaker stripe is open', by: 'breaker' }, 'BY_BREAKER'],
  ])('$0.kind says why', (outcome, code) => {
    expect(judge(runningJob(), outcome).attempt?.error?.code).toBe(code)
  })

  // B030
  it('what a handler said in words is as bounded as its errors', () => {
    const huge = 'x'.repeat(1_000_000)
    const outcomes: Outcome[] = [
      { kind: 'defer', until: now, reason: huge, by: 'handler' },
      { kind: 'business_error', code: huge, message: huge, declared: false, error: errorRecord(huge) },
      { kind: 'interrupted', reason: huge },
      { kind: 'lost', reason: 'worker_died', detail: huge },
    ]
    for (const outcome of outcomes)
      expect(JSON.stringify(judge(runningJob({ crashes: 2 }), outcome)).length).toBeLessThan(40_000)
  })
})

describe('children', () => {
  const children = [child('success'), child('stopped')]
  it.each<[string, Settlement, string[]]>([
    ['completion', judge(runningJob(), { kind: 'success' }, { children }), ['success']],
    ['a failure that is tried again', judge(runningJob(), fail, { children }), []],
    [
      'a deferral',
      judge(runningJob(), { kind: 'defer', until: now, reason: 'x', by: 'handler' }, { children }),
      [],
    ],
    ['a loss', judge(runningJob(), lost, { children }), []],
    ['an incident', judge(runningJob({ retries: 1 }), fail, { children }), ['stopped']],
    [
      'a dead letter',
      judge(runningJob({ retries: 1 }), fail, { children, policy: deadLetterPolicy }),
      ['stopped'],
    ],
    ['a rejection', judge(runningJob(), business(true), { children }), ['stopped']],
    // A18
  ])('%s creates the children meant for it, and no others', (_, settlement, expected) => {
    expect(settlement.children.map(({ type }) => type)).toEqual(expected)
    for (const created of settlement.children) expect(created).not.toHaveProperty('when')
  })
})
