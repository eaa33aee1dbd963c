import { pauseTypes } from '../support/plans.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { changeVerified, type VerifiedBulk, type VerifiedEnd } from '../../src/engine/canary-rollout.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

/** Jobs that stopped: `boom` for the first cause, `bang` for the second. */
async function stopped(boom: number, bang = 0) {
  const made = await testEngine()
  await made.join('w#1', { leaseMs: 3_600_000 })
  for (let index = 0; index < boom + bang; index++) await made.add()
  const jobs = await made.claim({ limit: boom + bang })
  for (const [index, job] of jobs.entries())
    await made.settle(job, outcomes.raised(index < boom ? 'boom' : 'bang'))
  return { ...made, keys: jobs.map(({ key }) => key) }
}

function start(made: TestEngine & { keys: readonly number[] }, over: Partial<VerifiedBulk> = {}) {
  const { engine, clock, keys } = made
  const resolution = { verb: 'resolve' as const, retries: 1, who: 'ada', reason: null }
  const end = changeVerified({
    engine,
    clock,
    keys,
    resolution,
    selector: 'all',
    canary: null,
    verifyMs: 60_000,
    ...over,
  })
  onTestFinished(() => void end.catch(() => undefined))
  return end
}

const states = (made: TestEngine & { keys: readonly number[] }) =>
  Promise.all(made.keys.map(async (key) => (await made.detail(key)).job.state))
const short = ({ applied, hasGoneOn, verification }: VerifiedEnd) => [
  applied.length,
  hasGoneOn,
  verification?.ended,
]

describe('a watched resolution', () => {
  it('tries a few and goes on with the others when those came through, as one operation', async () => {
    const made = await stopped(6, 2)
    const heard: string[] = []
    const told = {
      trying: ({ canaries, causes }: { canaries: readonly unknown[]; causes: number }) =>
        heard.push(`${canaries.length} of ${causes}`),
      proven: (_: unknown, others: number) => heard.push(`then ${others}`),
    }
    const end = start(made, { canary: 3, told, passedBy: [{ jobKey: 99, why: 'it would do it again' }] })
    await made.clock.advance(200)
    expect((await states(made)).filter((state) => state === 'available')).toHaveLength(3)
    for (const job of await made.claim()) await made.settle(job, outcomes.success())
    await made.clock.advance(1_000)
    expect(short(await end)).toEqual([8, true, 'all'])
    expect(heard).toEqual(['3 of 2', 'then 5'])
    expect((await states(made)).filter((state) => state === 'available')).toHaveLength(5)
    const { items } = await made.store.operations({}, { limit: 10 })
    expect(items).toMatchObject([
      {
        id: (await end).operation,
        verb: 'resolve',
        matched: 9,
        changed: 8,
        skipped: 1,
        flags: { canary: 3, verifyMs: 60_000 },
      },
    ])
  })

  it.each([
    ['the same cause', 'boom'],
    ['another cause', 'bang'],
  ])('leaves the others as they were when one stops over %s', async (_, message) => {
    const made = await stopped(5)
    const end = start(made, { canary: 2 })
    await made.clock.advance(200)
    const [first] = await made.claim({ limit: 1 })
    if (first) await made.settle(first, outcomes.raised(message))
    await made.clock.advance(1_000)
    expect(short(await end)).toEqual([2, false, 'early'])
    expect((await states(made)).filter((state) => state === 'failed')).toHaveLength(4)
    expect((await made.store.operations({}, { limit: 1 })).items[0]).toMatchObject({
      matched: 5,
      changed: 2,
      finishedAt: expect.any(Number),
    })
  })

  it('proves nothing with a canary that somebody cancelled, nor with one that is at work when the time is over', async () => {
    for (const ends of ['all', 'timeout']) {
      const made = await stopped(3)
      const end = start(made, { canary: 1, verifyMs: 5_000 })
      await made.clock.advance(200)
      const [job] = await made.claim()
      if (ends === 'all')
        await made.engine.resolve([{ jobKey: job?.key ?? 0, verb: 'cancel', who: 'bob', reason: null }])
      await made.clock.advance(5_000)
      expect(short(await end)).toEqual([1, false, ends])
      expect((await states(made)).filter((state) => state === 'failed')).toHaveLength(2)
    }
  })

  it('changes nothing when what is to be tried cannot start', async () => {
    const made = await stopped(3)
    await pauseTypes(made.store, ['mail'], { paused: true, reason: null, who: 'ada' }, made.store.now())
    const end = await start(made, { canary: 2 })
    expect(short(end)).toEqual([0, false, 'held'])
    expect(end.verification?.unfinished.map(({ held }) => held?.by)).toEqual(['paused', 'paused'])
    expect(await states(made)).toEqual(['failed', 'failed', 'failed'])
  })

  it('takes all at once when none of them has stopped any more, and says what became of them', async () => {
    const made = await stopped(2)
    await made.engine.resolve(
      made.keys.map((jobKey) => ({ jobKey, verb: 'resolve', who: 'bob', reason: null })),
    )
    const end = await start(made, { canary: 1 })
    expect(short(end)).toEqual([2, true, 'all'])
    expect(end.applied.map(({ status }) => status)).toEqual(['skipped', 'skipped'])
  })

  it('stops between the canaries and the others when it is told to', async () => {
    const made = await stopped(3)
    const stop = new AbortController()
    const end = start(made, { canary: 1, signal: stop.signal })
    await made.clock.advance(200)
    stop.abort()
    await made.clock.advance(100)
    expect(short(await end)).toEqual([1, false, 'interrupted'])
  })

  it('does not lose what was done with an error of the store, and rejects with it when nothing was done', async () => {
    const made = await stopped(2)
    const broken = { ...made.store, jobs: () => Promise.reject(new Error('the disk is gone')) }
    const end = start(made, { engine: { ...made.engine, reader: broken } })
    await made.clock.advance(1_000)
    expect(await end).toMatchObject({
      applied: [{ status: 'changed' }, { status: 'changed' }],
      verification: null,
      failure: new Error('the disk is gone'),
    })
    const never = { ...made.engine, resolve: () => Promise.reject(new Error('locked')) }
    await expect(start(made, { engine: never })).rejects.toThrow('locked')
  })
})
