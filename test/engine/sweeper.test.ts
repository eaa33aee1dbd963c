import { describe, expect, it } from 'vitest'
import { createSweeper, type SweeperOptions } from '../../src/engine/sweeper.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

const hour = 3_600_000
const day = 24 * hour
const retention = {
  finishedMs: 7 * day,
  deadLettersMs: 90 * day,
  idempotencyKeysMs: 90 * day,
  statsMs: 30 * day,
}

function sweeperOn(t: TestEngine, over: Partial<SweeperOptions> = {}) {
  return createSweeper({
    engine: t.engine,
    clock: t.clock,
    log: t.log,
    sweepMs: 5_000,
    renewalMs: 10_000,
    retention,
    ...over,
  })
}

/** A sweeper that trusts what it sees: one renewal interval has passed since its start. */
async function warmSweeper(t: TestEngine, over: Partial<SweeperOptions> = {}) {
  const sweeper = sweeperOn(t, over)
  for (let round = 0; round < 2; round++) {
    await t.clock.advance(5_000)
    await sweeper.sweep()
  }
  return sweeper
}

const renewAll = (t: TestEngine, workerId = 'w#1') =>
  t.store.renew([workerId], t.clock.now() + 30_000, t.clock.now())

describe('the sweeper', () => {
  // B005
  it('a worker that dies loses all its jobs within the lease and one sweep, the last one of the queue too', async () => {
    for (const count of [8, 1]) {
      const t = await testEngine()
      await t.join('dead#1')
      for (let each = 0; each < count; each++) await t.add()
      expect(await t.claim({ workerId: 'dead#1' })).toHaveLength(count)
      const sweeper = sweeperOn(t)
      sweeper.start()
      await t.clock.advance(29_000)
      expect(await t.claim({ workerId: 'other#1' })).toEqual([])
      await t.clock.advance(6_000)
      const again = await t.claim({ workerId: 'other#1' })
      expect(again.map(({ attempt, retries, crashes }) => [attempt, retries, crashes])).toEqual(
        Array.from({ length: count }, () => [2, 3, 1]),
      )
      await sweeper.stop()
    }
  })

  it('leaves the jobs of a worker that renews alone, however long they take', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await t.claim({ timeoutMs: 2 * hour })
    const sweeper = sweeperOn(t)
    sweeper.start()
    for (let renewal = 0; renewal < 360; renewal++) {
      await t.clock.advance(10_000)
      await renewAll(t)
    }
    expect((await t.detail(key)).job).toMatchObject({ state: 'running', attempt: 1 })
    await sweeper.stop()
  })

  // A08
  it('ends a claim that no handler holds when its own time is over, although its worker lives', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await t.claim({ timeoutMs: 1_000 })
    const sweeper = await warmSweeper(t)
    await renewAll(t)
    await t.clock.advance(5_000)
    expect(await sweeper.sweep()).toMatchObject({ lost: 0 })
    for (let round = 0; round < 11; round++) {
      await t.clock.advance(5_000)
      await renewAll(t)
      await sweeper.sweep()
    }
    const { job, attempts } = await t.detail(key)
    expect(job).toMatchObject({ state: 'available', attempt: 1 })
    expect(attempts).toMatchObject([{ outcome: 'lost', error: { code: 'RUN_UNTIL_PASSED' } }])
  })

  for (const [name, pass] of [
    [
      'a suspend, which the monotonic clock does not see',
      (t: TestEngine) => t.clock.setNow(t.clock.now() + hour),
    ],
    ['a stopped process', (t: TestEngine) => t.clock.block(hour)],
  ] as const) {
    // A08
    it(`after ${name}, waits one renewal interval, and no living worker's job is handed out`, async () => {
      const t = await testEngine()
      await t.join('alive#1')
      await t.join('dead#1')
      const keys = [await t.add(), await t.add()]
      await t.claim({ workerId: 'alive#1', limit: 1, timeoutMs: 5 * hour })
      await t.claim({ workerId: 'dead#1', limit: 1, timeoutMs: 5 * hour })
      const sweeper = await warmSweeper(t)
      pass(t)
      expect(await sweeper.sweep()).toMatchObject({ held: true, lost: 0 })
      await t.clock.advance(5_000)
      await renewAll(t, 'alive#1')
      expect(await sweeper.sweep()).toMatchObject({ held: true, lost: 0 })
      await t.clock.advance(5_000)
      expect(await sweeper.sweep()).toMatchObject({ held: false, lost: 1 })
      expect((await t.detail(keys[0] ?? 0)).job.state).toBe('running')
      expect((await t.detail(keys[1] ?? 0)).job.state).toBe('available')
    })
  }

  // A08
  it('a sweeper that has just started waits one renewal interval, as it cannot know what was before', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.add()
    await t.claim({ timeoutMs: 5 * hour })
    t.clock.setNow(t.clock.now() + hour)
    const sweeper = sweeperOn(t)
    expect(await sweeper.sweep()).toMatchObject({ held: true })
    await t.clock.advance(5_000)
    expect(await sweeper.sweep()).toMatchObject({ held: true })
    await renewAll(t)
    await t.clock.advance(5_000)
    expect(await sweeper.sweep()).toMatchObject({ held: false, lost: 0 })
  })

  // A08
  it('a sweeper that waited long for the write lock holds back, since nobody could renew meanwhile', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.add()
    await t.claim({ timeoutMs: 5 * hour })
    const sweeper = await warmSweeper(t)
    await t.clock.advance(5_000)
    const renew = t.store.renew.bind(t.store)
    t.store.renew = async (...args) => {
      t.clock.block(40_000)
      return renew(...args)
    }
    expect(await sweeper.sweep()).toMatchObject({ held: true, lost: 0 })
    t.store.renew = renew
    await renewAll(t)
    await t.clock.advance(10_000)
    expect(await sweeper.sweep()).toMatchObject({ held: false, lost: 0 })
  })

  it('holds back after a sweep that the store refused, and goes on by itself', async () => {
    const t = await testEngine()
    await t.join('dead#1')
    await t.add()
    await t.claim({ workerId: 'dead#1' })
    const sweeper = sweeperOn(t)
    const expired = t.store.expiredLeases.bind(t.store)
    sweeper.start()
    await t.clock.advance(20_000)
    t.store.expiredLeases = () => Promise.reject(new Error('the disk is gone'))
    await t.clock.advance(30_000)
    t.store.expiredLeases = expired
    expect(t.log.lines.filter(({ message }) => message.includes('the disk is gone'))).toHaveLength(1)
    await t.clock.advance(15_000)
    expect((await t.claim()).map(({ attempt }) => attempt)).toEqual([2])
    await sweeper.stop()
  })

  // B002
  it('a settlement computed from an old look changes nothing when the job was completed, or swept and taken again, meanwhile', async () => {
    for (const meanwhile of ['completed', 'taken again'] as const) {
      const t = await testEngine()
      await t.join('w#1')
      const key = await t.add()
      const [job] = await t.claim()
      if (!job) throw new Error('not claimed')
      const slow = await warmSweeper(t)
      await t.clock.advance(35_000 - 10_000)
      const look = t.store.expiredLeases.bind(t.store)
      t.store.expiredLeases = async (...args) => {
        const found = await look(...args)
        t.store.expiredLeases = look
        expect(found).toHaveLength(1)
        if (meanwhile === 'completed') await t.settle(job, outcomes.success('done'))
        else {
          await t.settle(job, outcomes.lost())
          await t.join('w#2')
          await t.claim({ workerId: 'w#2' })
        }
        return found
      }
      for (let round = 0; round < 3; round++) {
        await slow.sweep()
        await t.clock.advance(5_000)
      }
      const after = await t.detail(key)
      if (meanwhile === 'completed') {
        expect(after).toMatchObject({ job: { state: 'completed', attempt: 1 }, result: '"done"' })
        expect(after.attempts.filter(({ outcome }) => outcome === 'lost')).toEqual([])
      } else {
        expect(after.job).toMatchObject({ state: 'running', attempt: 2, workerId: 'w#2', crashes: 1 })
      }
    }
  })

  // B002
  it('a worker that renewed between the look and the settlement keeps its job', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await t.claim()
    const sweeper = await warmSweeper(t)
    const look = t.store.expiredLeases.bind(t.store)
    let looks = 0
    t.store.expiredLeases = async (...args) => {
      const found = await look(...args)
      if (found.length > 0 && looks++ === 0) await renewAll(t)
      return found
    }
    for (let round = 0; round < 6; round++) {
      await t.clock.advance(5_000)
      await sweeper.sweep()
    }
    expect(looks).toBe(1)
    expect((await t.detail(key)).job).toMatchObject({ state: 'running', attempt: 1 })
  })

  // B004
  it('a lease is written only with the start of an attempt: looks and sweeps do not move it', async () => {
    const t = await testEngine()
    await t.join('dead#1')
    const key = await t.add()
    await t.claim({ workerId: 'dead#1' })
    const sweeper = await warmSweeper(t)
    await t.clock.advance(25_000)
    for (let round = 0; round < 3; round++) {
      await sweeper.sweep()
      await t.clock.advance(5_000)
    }
    for (let cycle = 0; cycle < 5; cycle++) {
      expect((await t.detail(key)).job).toMatchObject({
        state: 'available',
        runUntil: null,
        workerId: null,
        attempt: 1,
      })
      await t.claim({ type: 'another' })
      await sweeper.sweep()
      await t.clock.advance(5_000)
    }
    expect((await t.claim({ workerId: 'w#2' })).map(({ attempt }) => attempt)).toEqual([2])
  })

  // A12
  it('stops available and waiting jobs whose deadline has passed, once', async () => {
    const t = await testEngine()
    await t.join('w#1', { leaseMs: hour })
    const due = await t.add({ deadline: '1m' })
    const waiting = await t.add({ deadline: '1m' })
    const held = (await t.claim({ limit: 2 })).find(({ key }) => key === waiting)
    if (!held) throw new Error('not claimed')
    await t.settle(held, outcomes.defer(t.clock.now() + 30_000))
    const late = await t.add({ delay: '30s', deadline: '1m' })
    const stopped: number[] = []
    t.events.on('stopped', ({ jobs }) => stopped.push(...jobs.map(({ jobKey }) => jobKey)))
    const sweeper = await warmSweeper(t)
    expect(stopped).toEqual([])
    await t.clock.advance(45_000)
    expect(await t.store.nextDue(['mail'])).not.toBeNull()
    await t.clock.advance(20_000)
    await sweeper.sweep()
    await t.clock.advance(10_000)
    await sweeper.sweep()
    expect(stopped.toSorted((one, other) => one - other)).toEqual([waiting, late])
    const told = t.log.lines.filter(({ fields }) => fields['incident'] === 'deadline_exceeded')
    expect(told.map(({ level }) => level)).toEqual(told.map(() => 'warn'))
    for (const key of [waiting, late])
      expect(told.map(({ message }) => message).join()).toContain(`mail #${key}`)
    for (const key of [waiting, late]) {
      expect(await t.detail(key)).toMatchObject({
        job: { state: 'failed', retries: 3 },
        incidents: [{ kind: 'deadline_exceeded', resolvedAt: null }],
      })
    }
    expect((await t.detail(due)).job.state).toBe('running')
  })

  for (const [name, step] of [
    ['a second', -1_000],
    ['an hour', -hour],
    ['ten years', -3_652 * day],
  ] as const) {
    // B111
    it(`the clock goes back by ${name}: living workers keep their jobs, a dead one loses its within its lease and a sweep`, async () => {
      const t = await testEngine()
      await t.join('alive#1')
      await t.join('dead#1')
      const living = await t.add()
      await t.claim({ workerId: 'alive#1', timeoutMs: 5 * hour })
      const dying = await t.add()
      await t.claim({ workerId: 'dead#1', timeoutMs: 5 * hour })
      const sweeper = await warmSweeper(t)
      t.clock.setNow(t.clock.now() + step)
      for (let round = 0; round < 8; round++) {
        await renewAll(t, 'alive#1')
        await sweeper.sweep()
        await t.clock.advance(5_000)
      }
      expect((await t.detail(living)).job).toMatchObject({ state: 'running', attempt: 1 })
      expect((await t.detail(dying)).job).toMatchObject({ state: 'available', attempt: 1 })
      const said = t.log.lines.filter(({ message }) => message.includes('jumped'))
      expect(said).toHaveLength(step <= -5_000 ? 1 : 0)
      const [record] = (await t.detail(dying)).attempts
      expect((record?.finishedAt ?? 0) - (record?.startedAt ?? 0)).toBeGreaterThanOrEqual(step)
    })
  }

  it('prunes in small batches, and then not again for a minute', async () => {
    const t = await testEngine()
    for (let each = 0; each < 30; each++) await t.add()
    for (let round = 0; round < 3; round++)
      for (const job of await t.claim()) await t.settle(job, outcomes.success())
    await t.clock.advance(8 * day)
    const sweeper = sweeperOn(t)
    sweeper.start()
    await t.clock.advance(15_000)
    expect(await t.store.jobs({}, { limit: 10 })).toMatchObject({ items: [] })
    let calls = 0
    const prune = t.store.prune.bind(t.store)
    t.store.prune = (...args) => {
      calls++
      return prune(...args)
    }
    await t.clock.advance(65_000)
    expect(calls).toBe(1)
    await sweeper.stop()
  })

  it('goes on pruning while a batch leaves more, with room between batches, and stops when told', async () => {
    const t = await testEngine()
    const sweeper = await warmSweeper(t)
    let calls = 0
    t.store.prune = async () => ({
      jobs: 1_000,
      deadLetters: 0,
      idempotencyKeys: 0,
      stats: 0,
      more: ++calls < 250,
    })
    await t.clock.advance(60_000)
    const round = sweeper.sweep()
    await t.clock.advance(10_000)
    expect(await round).toMatchObject({ held: true })
    const pruning = sweeper.sweep()
    await t.clock.advance(1_000)
    expect(calls).toBeGreaterThan(10)
    expect(calls).toBeLessThan(60)
    await sweeper.stop()
    const { pruned } = await pruning
    expect(pruned).toBe(calls * 1_000)
  })

  it('gives a call during a round the same report', async () => {
    const t = await testEngine()
    const sweeper = await warmSweeper(t)
    const [one, other] = await Promise.all([sweeper.sweep(), sweeper.sweep()])
    expect(one).toBe(other)
  })
})
