import { describe, expect, it, vi } from 'vitest'
import { isEmpty } from '../../src/engine/drained.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

const look = (t: TestEngine, types = ['mail']) => isEmpty(t.store, types, t.clock.now())

async function takeOne(t: TestEngine) {
  const [job] = await t.claim({ limit: 1 })
  if (!job) throw new Error('not claimed')
  return job
}

describe('whether nothing is left to do', () => {
  it('says so of an empty store, and of one whose jobs are all finished or stopped', async () => {
    const t = await testEngine()
    expect(await look(t)).toEqual({ empty: true, left: [] })
    await t.add()
    await t.add()
    await t.settle(await takeOne(t), outcomes.success())
    await t.settle(await takeOne(t), outcomes.raised())
    expect(await look(t)).toEqual({ empty: true, left: [] })
  })

  it('waits for what is due, runs, backs off, was deferred, or is suspect', async () => {
    const t = await testEngine()
    await t.add()
    expect(await look(t)).toMatchObject({ empty: false, left: [] })
    const running = await takeOne(t)
    expect(await look(t)).toMatchObject({ empty: false })
    await t.settle(running, outcomes.fail())
    expect(await look(t)).toMatchObject({ empty: false, left: [] })
    await t.clock.advance(1_000)
    await t.settle(await takeOne(t), outcomes.defer(t.clock.now() + 60_000))
    expect(await look(t)).toMatchObject({ empty: false })
    await t.clock.advance(60_000)
    for (let loss = 0; loss < 2; loss++) await t.settle(await takeOne(t), outcomes.lost())
    await t.clock.advance(1_000)
    expect(await t.claim()).toEqual([])
    expect(await look(t)).toMatchObject({ empty: false })
  })

  it('does not wait for delays, paused types and types without a handler here, and names them', async () => {
    const t = await testEngine()
    await t.add({ delay: '1h' })
    await t.add({ delay: '2h' })
    await t.add({ type: 'sms' })
    await t.add({ type: 'report' })
    await t.engine.pauseTypes(['report'], { paused: true, reason: null, who: 'ann' })
    const found = await look(t, ['mail', 'report'])
    expect(found.empty).toBe(true)
    expect(found.left.toSorted((one, other) => one.type.localeCompare(other.type))).toEqual([
      { type: 'mail', count: 2, because: 'delay' },
      { type: 'report', count: 1, because: 'paused' },
      { type: 'sms', count: 1, because: 'handler' },
    ])
  })

  // B119
  it('does not wait for the end of a pause, and says when that is', async () => {
    const t = await testEngine()
    await t.add()
    const untilAt = t.clock.now() + 60_000
    await t.engine.pauseTypes(['mail'], { paused: true, reason: null, who: 'ann', untilAt })
    expect(await isEmpty(t.store, ['mail'], t.clock.now())).toEqual({
      empty: true,
      left: [{ type: 'mail', count: 1, because: 'paused', untilAt }],
    })
    expect((await isEmpty(t.store, ['mail'], untilAt)).empty).toBe(false)
  })

  it('waits for the running jobs of a paused type', async () => {
    const t = await testEngine()
    await t.add()
    await takeOne(t)
    await t.engine.pauseTypes(['mail'], { paused: true, reason: null, who: 'ann' })
    expect(await look(t)).toMatchObject({ empty: false, left: [] })
  })

  it('judges by one read, so that a job which moves from running to waiting and back at every read is never missed', async () => {
    const t = await testEngine()
    await t.add({ retries: 1_000 })
    let held: Awaited<ReturnType<typeof takeOne>> | null = null
    const move = async () => {
      if (held) await t.settle(held, outcomes.fail('again', { delayMs: 9_000 }))
      else await t.clock.advance(9_000)
      held = held ? null : await takeOne(t)
    }
    const moving = new Proxy(t.store, {
      get(store, name) {
        const member: unknown = Reflect.get(store, name)
        if (typeof member !== 'function') return member
        return async (...args: readonly unknown[]) => {
          const answer: unknown = await Reflect.apply(member, store, args)
          await move()
          return answer
        }
      },
    })
    for (let look = 0; look < 20; look++)
      expect((await isEmpty(moving, ['mail'], t.clock.now())).empty).toBe(false)
  })

  it('counts a delay that is over as due', async () => {
    const t = await testEngine()
    await t.add({ delay: '1s' })
    expect(await look(t)).toMatchObject({ empty: true })
    await t.clock.advance(1_000)
    expect(await look(t)).toMatchObject({ empty: false })
  })

  it('sees one job that comes back behind 1,500 delayed ones', async () => {
    const t = await testEngine()
    await t.add()
    await t.settle(await takeOne(t), outcomes.fail())
    await t.engine.enqueue(Array.from({ length: 1_500 }, () => ({ type: 'mail', delay: '1d' })))
    expect(await look(t)).toMatchObject({ empty: false })
  })

  it('reads no job however many are delayed, and counts them once, at the end', async () => {
    const t = await testEngine()
    await t.engine.enqueue(Array.from({ length: 1_500 }, () => ({ type: 'mail', delay: '1d' })))
    await t.add()
    const [jobs, types] = [vi.spyOn(t.store, 'jobs'), vi.spyOn(t.store, 'types')]
    expect(await look(t)).toEqual({ empty: false, left: [] })
    expect([jobs.mock.calls.length, types.mock.calls.length]).toEqual([0, 0])
    await t.settle(await takeOne(t), outcomes.success())
    expect(await look(t)).toEqual({ empty: true, left: [{ type: 'mail', count: 1_500, because: 'delay' }] })
    expect([jobs.mock.calls.length, types.mock.calls.length]).toEqual([0, 1])
  })
})
