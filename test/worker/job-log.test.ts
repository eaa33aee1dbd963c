import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/domain/outcome.ts'
import { errorRecord } from '../../src/domain/error-record.ts'
import { createJobLog } from '../../src/worker/job-log.ts'
import { reasonOf } from '../../src/worker/job-messages.ts'
import { outcomes, plainPolicy, testEngine, type TestEngine } from '../support/test-engine.ts'

async function logged(workerId = 'w#1') {
  const t = await testEngine()
  await t.join('w#1', { leaseMs: 1e12 })
  const jobLog = createJobLog({ log: t.log, clock: t.clock, events: t.events, workerId })
  jobLog.start()
  return { ...t, jobLog, lines: () => t.log.lines.map(({ level, message }) => `${level} ${message}`) }
}

/** Runs `count` jobs to the same outcome. */
async function run(t: TestEngine, outcome: Outcome, { count = 1, policy = plainPolicy } = {}) {
  for (let job = 0; job < count; job++) await t.add()
  let left = count
  while (left > 0) {
    const jobs = await t.claim({
      limit: 50,
      types: [{ type: 'mail', limit: 50, timeoutMs: 1_000, retries: policy.retries }],
    })
    await t.engine.exchange({
      ended: jobs.map((job) => ({ job, outcome, policy, children: [], durationMs: 42 })),
    })
    left -= jobs.length
  }
}

const refused = (): Outcome => ({
  kind: 'fail',
  category: 'error',
  error: errorRecord(Object.assign(new Error('connect to stripe'), { code: 'ETIMEDOUT' })),
})

describe('the log of finished attempts', () => {
  it.each<[string, Outcome, { retries?: number; onExhausted?: 'dead-letter' }, string]>([
    ['a success', outcomes.success(), {}, 'info ✓ mail #1 42ms'],
    ['a failure', refused(), {}, 'info ✗ mail #1 attempt 1 failed: ETIMEDOUT connect to stripe, again in 1s'],
    [
      'a failure without delay',
      { ...refused(), delayMs: 0 } as Outcome,
      {},
      'info ✗ mail #1 attempt 1 failed: ETIMEDOUT connect to stripe, again at once',
    ],
    [
      'the last failure',
      refused(),
      { retries: 1 },
      'warn ▲ mail #1 incident job_no_retries: ETIMEDOUT connect to stripe',
    ],
    [
      'the last failure of a type that gives up',
      refused(),
      { retries: 1, onExhausted: 'dead-letter' },
      'warn ▲ mail #1 dead letter exhausted: ETIMEDOUT connect to stripe',
    ],
    ['poison', outcomes.poison('bad'), {}, 'warn ▲ mail #1 incident poison_message: bad'],
    ['a refusal', outcomes.business('CARD_DECLINED'), {}, 'info – mail #1 rejected: CARD_DECLINED'],
    [
      'a deferral',
      outcomes.defer(1_704_067_200_000 + 60_000),
      {},
      'info … mail #1 deferred: BY_HANDLER not yet, again in 1m',
    ],
    ['a job given back', outcomes.interrupted(), {}, 'info ↩ mail #1 given back unfinished, costs no retry'],
  ])('is one line for %s', async (_, outcome, policy, line) => {
    const t = await logged()
    await run(t, outcome, { policy: { ...plainPolicy, ...policy } })
    expect(t.lines()).toEqual([line])
    t.jobLog.stop()
  })

  it('carries the same for machines', async () => {
    const t = await logged()
    await run(t, outcomes.poison('bad'))
    expect(t.log.lines[0]?.fields).toEqual({
      job: 1,
      type: 'mail',
      attempt: 1,
      outcome: 'poison',
      durationMs: 42,
      incident: 'poison_message',
      deadLetter: 'poison',
    })
    t.jobLog.stop()
  })

  it('tells of its own worker only, and not of what changed nothing', async () => {
    const other = await logged('other#1')
    await run(other, outcomes.success())
    expect(other.lines()).toEqual([])
    other.jobLog.stop()
    const t = await logged()
    await t.add()
    const [job] = await t.claim()
    if (!job) throw new Error('not claimed')
    await t.settle(job, outcomes.success())
    await t.settle(job, outcomes.success())
    expect(t.lines()).toHaveLength(1)
    t.jobLog.stop()
  })

  it('becomes a summary every three seconds above twenty lines a second, and lines again when it is calm', async () => {
    const t = await logged()
    await run(t, outcomes.success(), { count: 500 })
    expect(t.lines()).toHaveLength(20)
    await t.clock.advance(1_000)
    await run(t, refused(), { count: 30 })
    await run(t, outcomes.poison('last words'), { count: 3 })
    await t.clock.advance(2_000)
    expect(t.lines().slice(20)).toEqual([
      expect.stringMatching(
        /^warn ✓ 480 done {2}✗ 30 failed, to be tried again {2}▲ 3 stopped \(poison_message 3\), the last: mail #\d+: last words {2}in 3 s \(171\/s\)$/,
      ),
    ])
    await run(t, outcomes.success(), { count: 100 })
    await t.clock.advance(3_000)
    expect(t.lines()).toHaveLength(22)
    await t.clock.advance(3_000)
    await run(t, outcomes.success())
    expect(t.lines().at(-1)).toMatch(/^info ✓ mail #\d+ 42ms$/)
    t.jobLog.stop()
  })

  it('tells what it has summed up when it is stopped', async () => {
    const t = await logged()
    await run(t, outcomes.success(), { count: 30 })
    t.jobLog.stop()
    expect(t.lines().at(-1)).toMatch(/^info ✓ 10 done/)
  })

  it('keeps a reason to one short line', () => {
    expect(reasonOf({ code: null, message: 'a\n\tb  c' })).toBe('a b c')
    expect(reasonOf({ code: 'X', message: 'fails with X' })).toBe('fails with X')
    const cut = reasonOf({ code: null, message: '😀'.repeat(5_000) })
    expect(cut.length).toBeLessThanOrEqual(160)
    expect(cut).not.toMatch(/\p{Surrogate}/u)
  })

  // B145
  it('leaves no half of a secret where it cuts', () => {
    for (let before = 0; before < 1_400; before++) {
      const line = reasonOf({ code: null, message: `${'x'.repeat(before)} postgres://user:hunter2@db/x` })
      expect([before, line.includes('hun')]).toEqual([before, false])
    }
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'hunter2'.repeat(300)}\n-----END RSA PRIVATE KEY----- end`
    expect(reasonOf({ code: null, message: pem })).not.toContain('hunter2')
    expect(
      reasonOf({
        code: null,
        message: `${'Bearer abcdefgh '.repeat(70)}${'y'.repeat(100)} https://u:hunter2@h`,
      }),
    ).not.toContain('hun')
  })
})
