import { declareTypes, pauseTypes } from '../support/plans.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClaimedJob } from '../../src/domain/job.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import type { Watched } from '../../src/domain/rerun-result.ts'
import type { Held } from '../../src/engine/inspector.ts'
import { verify, type Verify } from '../../src/engine/watch-outcomes.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

/** Jobs that stopped for one cause and were resolved; their new attempts are up to the test. */
async function resolved(count: number) {
  const made = await testEngine()
  await made.join('w#1', { leaseMs: 3_600_000 })
  await declareTypes(
    made.store,
    [
      {
        type: 'mail',
        timeoutMs: 1_000,
        concurrency: 10,
        retries: 3,
        backlogLimit: null,
        onExhausted: 'incident',
      },
    ],
    made.store.now(),
  )
  for (let index = 0; index < count; index++) await made.add()
  for (const job of await made.claim()) await made.settle(job, outcomes.raised('boom 1'))
  const { items } = await made.store.incidents({}, { limit: 100 })
  const watched = items.map(
    ({ jobKey, type, kind, fingerprint, job }): Watched => ({
      jobKey,
      type,
      kind,
      fingerprint,
      attempt: job.attempt,
    }),
  )
  await made.engine.resolve(
    watched.map(({ jobKey }) => ({ jobKey, verb: 'resolve', who: 'ada', reason: null })),
  )
  return { ...made, watched }
}

function start({ store, events, clock }: TestEngine, options: Pick<Verify, 'watched'> & Partial<Verify>) {
  let isOver = false
  const end = verify({ store, events, clock, timeoutMs: 60_000, ...options }).finally(() => {
    isOver = true
  })
  onTestFinished(() => void end.catch(() => undefined))
  return { end, isOver: () => isOver }
}

const raised = (job: ClaimedJob, made: TestEngine) => made.settle(job, outcomes.raised(`boom ${job.key}`))

describe('waiting for what becomes of jobs', () => {
  it('ends when all of them came through, soon after the last', async () => {
    const made = await resolved(3)
    const { end, isOver } = start(made, made)
    await made.clock.advance(1_000)
    for (const job of await made.claim({ limit: 2 })) await made.settle(job, outcomes.success())
    await made.clock.advance(1_000)
    expect(isOver()).toBe(false)
    for (const job of await made.claim()) await made.settle(job, outcomes.success())
    await made.clock.advance(100)
    expect(await end).toMatchObject({ ended: 'all', unfinished: [], tookMs: expect.any(Number) })
    expect((await end).seen.map(({ verdict }) => verdict.status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
  })

  it('ends with the first that fails over the same cause, when that decides it, and without waiting for its next retry', async () => {
    const made = await resolved(3)
    const { end } = start(made, { ...made, stopsEarly: true })
    const [first] = await made.claim({ limit: 1 })
    if (!first) throw new Error('not claimed')
    await raised(first, made)
    await made.clock.advance(100)
    const { ended, seen, unfinished } = await end
    expect([ended, seen.length, unfinished.length]).toEqual(['early', 1, 2])
    expect(seen[0]).toMatchObject({
      target: { jobKey: first.key },
      verdict: { status: 'failed', isSameCause: true },
    })
  })

  it('counts a failed attempt that will be retried, not only an incident', async () => {
    const made = await resolved(1)
    const [watched] = made.watched
    const [job] = await made.claim()
    if (!job || !watched) throw new Error('not claimed')
    const { error } = outcomes.raised('boom 7') as Extract<Outcome, { kind: 'incident' }>
    await made.settle(job, { kind: 'fail', category: 'error', error })
    const detail = await made.detail(job.key)
    expect(detail.job.state).toBe('waiting')
    const { end } = start(made, { watched: [watched] })
    await made.clock.advance(100)
    expect((await end).seen).toMatchObject([{ verdict: { status: 'failed', isSameCause: true } }])
  })

  it('tells at once what holds them, and does not wait for it', async () => {
    const made = await resolved(2)
    await pauseTypes(made.store, ['mail'], { paused: true, reason: 'a fault', who: 'ada' }, made.store.now())
    const held: [string, Held][] = []
    const { end } = start(made, { ...made, onHeld: (type, by) => held.push([type, by]) })
    await made.clock.advance(100)
    expect(await end).toMatchObject({ ended: 'held', seen: [] })
    expect(held).toEqual([['mail', { by: 'paused', why: 'mail is paused by ada: a fault' }]])
    expect((await end).unfinished.map((each) => each.held?.by)).toEqual(['paused', 'paused'])
  })

  it('waits for the others when some are held, unless one of them decides it', async () => {
    const made = await resolved(2)
    const [running] = await made.claim({ limit: 1 })
    await pauseTypes(made.store, ['mail'], { paused: true, reason: null, who: 'ada' }, made.store.now())
    const { end, isOver } = start(made, made)
    const early = start(made, { ...made, stopsEarly: true })
    await made.clock.advance(5_000)
    expect(isOver()).toBe(false)
    expect((await early.end).ended).toBe('held')
    if (running) await made.settle(running, outcomes.success())
    await made.clock.advance(1_000)
    expect(await end).toMatchObject({
      ended: 'held',
      seen: [{ verdict: { status: 'completed' } }],
      unfinished: [{ held: { by: 'paused' } }],
    })
  })

  it('ends at its time with what is not finished, and when it is stopped', async () => {
    const made = await resolved(1)
    await made.claim()
    const { end, isOver } = start(made, { ...made, timeoutMs: 10_000 })
    const stop = new AbortController()
    const stopped = start(made, { ...made, signal: stop.signal })
    await made.clock.advance(9_999)
    expect(isOver()).toBe(false)
    stop.abort()
    expect(await stopped.end).toMatchObject({ ended: 'interrupted', unfinished: [{ held: null }] })
    await made.clock.advance(1)
    expect(await end).toMatchObject({ ended: 'timeout', seen: [], unfinished: [{ held: null }] })
  })

  it('has nothing to wait for when nothing is watched', async () => {
    const made = await testEngine()
    expect(await start(made, { watched: [] }).end).toMatchObject({ ended: 'all', seen: [], unfinished: [] })
  })

  it('takes a cancelled job for one that proves nothing', async () => {
    const made = await resolved(1)
    const { end } = start(made, { ...made, stopsEarly: true })
    await made.engine.resolve(
      made.watched.map(({ jobKey }) => ({ jobKey, verb: 'cancel', who: 'ada', reason: null })),
    )
    await made.clock.advance(100)
    expect(await end).toMatchObject({ ended: 'all', seen: [{ verdict: { status: 'gone' } }] })
  })

  it('rejects with what the store says', async () => {
    const made = await resolved(1)
    await made.claim()
    const broken = { ...made.store, jobs: () => Promise.reject(new Error('the disk is gone')) }
    await expect(start(made, { ...made, store: broken }).end).rejects.toThrow('the disk is gone')
  })
})
