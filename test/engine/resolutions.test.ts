import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Resolution } from '../../src/domain/resolution.ts'
import { outcomes, plainPolicy, testEngine, type TestEngine } from '../support/test-engine.ts'

const resolution = (jobKey: number, over: Partial<Resolution> = {}): Resolution => ({
  jobKey,
  verb: 'resolve',
  who: 'ann',
  reason: 'fixed the bank',
  ...over,
})

async function stoppedJob(t: TestEngine, outcome = outcomes.raised()): Promise<number> {
  const key = await t.add()
  const [job] = await t.claim()
  if (!job) throw new Error('not claimed')
  await t.settle(job, outcome)
  return key
}

describe('the roads out of a stop', () => {
  // A19
  it('a resolved job is available at once with the retries given; who and why are kept; the attempt keeps growing', async () => {
    const t = await testEngine()
    const key = await stoppedJob(t)
    expect(await t.engine.resolve([resolution(key, { retries: 3 })])).toMatchObject([
      { jobKey: key, status: 'changed', from: 'failed', to: 'available' },
    ])
    const { job, incidents, history } = await t.detail(key)
    expect(job).toMatchObject({ state: 'available', retries: 3, runAt: t.clock.now() })
    expect(incidents).toMatchObject([
      { resolvedBy: 'ann', reason: 'fixed the bank', resolution: 'resolve', resolvedAt: t.clock.now() },
    ])
    expect(history.map(({ event, who }) => [event, who])).toContainEqual(['resolved', 'ann'])
    expect((await t.claim()).map(({ attempt }) => attempt)).toEqual([2])
  })

  // A19 B022
  it('resolving twice, also at the same moment, changes the job once; the other hears that it is resolved', async () => {
    const t = await testEngine()
    const key = await stoppedJob(t)
    const [one, other] = await Promise.all([
      t.engine.resolve([resolution(key)]),
      t.engine.resolve([resolution(key)]),
    ])
    expect([...one, ...other].map(({ status }) => status).toSorted()).toEqual(['changed', 'skipped'])
    const [again] = await t.engine.resolve([resolution(key)])
    expect(again).toMatchObject({ status: 'skipped', why: expect.stringMatching(/already/) })
    expect(await t.engine.resolve([resolution(999)])).toMatchObject([{ status: 'not_found' }])
  })

  // B022
  it('retries below 1 are refused and change nothing', async () => {
    const t = await testEngine()
    const key = await stoppedJob(t)
    for (const retries of [0, -1, 1.5, Number.NaN]) {
      expect(await t.engine.resolve([resolution(key, { retries })])).toMatchObject([
        { status: 'failed', why: expect.stringContaining('retries') },
      ])
    }
    expect((await t.detail(key)).job.state).toBe('failed')
  })

  // B022
  it('a job that used up its retries is resolved with the number it was enqueued with', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 1 })
    const [job] = await t.claim()
    if (!job) throw new Error('not claimed')
    await t.settle(job, outcomes.fail())
    expect((await t.detail(key)).job).toMatchObject({ state: 'failed', retries: 0 })
    await t.engine.resolve([resolution(key)])
    expect((await t.detail(key)).job).toMatchObject({ state: 'available', retries: 1 })
  })

  // A22
  it('a dead letter that is retried keeps its job, its key and its history; one that is discarded never runs', async () => {
    const t = await testEngine()
    const policy = { ...plainPolicy, onExhausted: 'dead-letter' as const }
    const keys = [await t.add({ retries: 1 }), await t.add({ retries: 1 })]
    for (const job of await t.claim()) await t.settle(job, outcomes.fail(), { policy })
    const [retried = 0, discarded = 0] = keys
    await t.engine.resolve([
      resolution(retried, { verb: 'dlq_retry' }),
      resolution(discarded, { verb: 'discard' }),
    ])
    expect(await t.detail(retried)).toMatchObject({
      job: { key: retried, state: 'available', attempt: 1 },
      deadLetter: { closedBy: 'ann', resolution: 'dlq_retry' },
    })
    expect((await t.detail(retried)).attempts).toHaveLength(1)
    expect(await t.detail(discarded)).toMatchObject({
      job: { state: 'cancelled' },
      deadLetter: { resolution: 'discard' },
    })
    expect((await t.claim()).map(({ key }) => key)).toEqual([retried])
  })

  // A22
  it('retrying a poison message closes its incident and its dead letter together', async () => {
    const t = await testEngine()
    const key = await stoppedJob(t, outcomes.poison())
    expect(await t.engine.resolve([resolution(key, { verb: 'dlq_retry' })])).toMatchObject([
      { status: 'changed' },
    ])
    const { incidents, deadLetter } = await t.detail(key)
    expect(incidents.map(({ resolvedAt }) => resolvedAt)).toEqual([t.clock.now()])
    expect(deadLetter?.closedAt).toBe(t.clock.now())
  })

  it('tells listeners what was resolved, and nothing of an empty batch', async () => {
    const t = await testEngine()
    const key = await stoppedJob(t)
    const heard: string[] = []
    t.events.on('resolved', ({ applied }) => heard.push(...applied.map(({ status }) => status)))
    await t.engine.resolve([])
    await t.engine.resolve([resolution(key), resolution(key)])
    expect(heard).toEqual(['changed', 'skipped'])
  })

  it('never applies more than one settlement to an attempt, and keeps every rule, in whatever order things happen', async () => {
    const steps = fc.array(
      fc.record({
        act: fc.constantFrom(
          'add',
          'claim',
          'settle',
          'late',
          'sweep',
          'cancel',
          'resolve',
          'retry',
          'discard',
          'time',
        ),
        pick: fc.nat(100),
      }),
      { maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const t = await testEngine()
        const world = new World(t)
        for (const step of plan) await world.act(step)
        await world.check()
      }),
      { numRuns: 40 },
    )
  })
})

type Claimed = Awaited<ReturnType<TestEngine['claim']>>[number]

/** Does one step after the other and remembers what must hold. */
class World {
  readonly #t: TestEngine
  readonly #keys: number[] = []
  readonly #claimed: Claimed[] = []
  readonly #applied = new Map<string, number>()
  readonly #final = new Map<number, string>()
  readonly #attempts = new Map<number, number>()

  constructor(t: TestEngine) {
    this.#t = t
  }

  async act({ act, pick }: { act: string; pick: number }): Promise<void> {
    const t = this.#t
    const key = this.#keys[pick % Math.max(1, this.#keys.length)]
    if (act === 'add') this.#keys.push(await t.add({ retries: 1 + (pick % 3) }))
    if (act === 'claim') this.#claimed.push(...(await t.claim({ limit: 3, suspects: pick % 4 === 0 })))
    if (act === 'time') t.clock.block(pick * 30)
    if (act === 'settle' || act === 'late') await this.#settle(act === 'late', pick)
    if (act === 'sweep') await this.#sweep()
    const verb = ({ cancel: 'cancel', resolve: 'resolve', retry: 'retry', discard: 'discard' } as const)[act]
    if (verb && key !== undefined) await t.engine.resolve([resolution(key, { verb })])
    await this.#watch()
  }

  async #settle(late: boolean, pick: number): Promise<void> {
    const job = late ? this.#claimed[pick % Math.max(1, this.#claimed.length)] : this.#claimed.at(-1)
    const ends = [
      outcomes.success(),
      outcomes.fail(),
      outcomes.lost(),
      outcomes.defer(this.#t.clock.now() + 500),
      outcomes.poison(),
      outcomes.raised(),
      outcomes.interrupted(),
      outcomes.business('NO', pick % 2 === 0),
    ]
    const end = ends[pick % ends.length]
    if (!job || !end) return
    if ((await this.#t.settle(job, end)) === 'applied') this.#count(job.key, job.attempt)
  }

  /** Without worker rows every lease is over. */
  async #sweep(): Promise<void> {
    const now = this.#t.clock.now()
    for (const { job } of await this.#t.store.expiredLeases(now, 2)) {
      if ((await this.#t.settle(job, outcomes.lost(), { onlyIfExpiredAt: now })) === 'applied')
        this.#count(job.key, job.attempt)
    }
  }

  #count(key: number, attempt: number): void {
    const id = `${key}/${attempt}`
    this.#applied.set(id, (this.#applied.get(id) ?? 0) + 1)
  }

  async #watch(): Promise<void> {
    for (const key of this.#keys) {
      const { job } = await this.#t.detail(key)
      expect(job.retries).toBeGreaterThanOrEqual(0)
      expect(job.attempt).toBeGreaterThanOrEqual(this.#attempts.get(key) ?? 0)
      this.#attempts.set(key, job.attempt)
      const before = this.#final.get(key)
      if (before !== undefined) expect(job.state, 'what is final stays').toBe(before)
      if (['completed', 'rejected', 'cancelled'].includes(job.state)) this.#final.set(key, job.state)
    }
  }

  async check(): Promise<void> {
    for (const [id, times] of this.#applied) expect(times, id).toBe(1)
    for (const key of this.#keys) {
      const { job, incidents, deadLetter } = await this.#t.detail(key)
      const open = incidents.filter(({ resolvedAt }) => resolvedAt === null)
      expect(open).toHaveLength(job.state === 'failed' ? 1 : 0)
      expect((job.state === 'running') === (job.runUntil !== null && job.workerId !== null)).toBe(true)
      if (job.state !== 'failed' && job.state !== 'dead') expect(deadLetter?.closedAt).not.toBeNull()
    }
  }
}
