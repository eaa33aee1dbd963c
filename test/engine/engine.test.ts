import Database from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { WfError } from '../../src/errors.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createEvents } from '../../src/engine/events.ts'
import { outcomes, plainPolicy, testEngine, type TestEngine } from '../support/test-engine.ts'

/** Holds the write lock of a store's file until the answered function is called. */
function lockedByOther(location: string): () => void {
  const other = new Database(location)
  other.exec('BEGIN IMMEDIATE')
  return () => {
    other.exec('ROLLBACK')
    other.close()
  }
}

async function running(t: TestEngine) {
  const key = await t.add()
  const [job] = await t.claim()
  if (!job) throw new Error('not claimed')
  return { key, job }
}

describe('the engine', () => {
  it('refuses a batch with an input that is not acceptable before anything is written', async () => {
    const t = await testEngine()
    await expect(t.engine.enqueue([{ type: 'mail' }, { type: '' }])).rejects.toMatchObject({
      code: 'invalid_job',
    })
    expect((await t.store.jobs({}, { limit: 10 })).items).toEqual([])
  })

  it('lets each input stand for itself when asked to: the bad ones are answered in their place', async () => {
    const t = await testEngine()
    const results = await t.engine.enqueueEach([
      { type: 'mail' },
      { type: 'mail', retries: 0 },
      { type: 'mail', idempotencyKey: 'k', variables: { a: 1 } },
      { type: 'mail', idempotencyKey: 'k' },
    ])
    expect(results).toMatchObject([
      { status: 'created', key: 1 },
      { status: 'refused', reason: 'invalid', error: { code: 'invalid_job' } },
      { status: 'created', key: 2 },
      { status: 'refused', reason: 'idempotency_conflict', key: 2 },
    ])
  })

  it('asks the store nothing when it is given nothing', async () => {
    const t = await testEngine()
    for (const name of ['enqueue', 'transact'] as const) t.store[name] = () => expect.unreachable()
    expect(await t.engine.enqueue([])).toEqual([])
    expect(await t.engine.resolve([])).toEqual([])
    expect(await t.engine.stop([])).toEqual([])
  })

  it('tells listeners after the commit, in the order of what was handed in', async () => {
    const t = await testEngine()
    const { job } = await running(t)
    const heard: unknown[] = []
    t.events.on('settled', ({ settlement, result, end }) =>
      heard.push([settlement.outcome, result, end.durationMs]),
    )
    await t.settle(job, outcomes.success(), { durationMs: 12 })
    await t.settle(job, outcomes.fail())
    expect(heard).toEqual([
      ['success', 'applied', 12],
      ['fail', 'stale', 5],
    ])
  })

  it('goes on, with everything committed, when a listener throws', async () => {
    const t = await testEngine()
    const { key, job } = await running(t)
    const events = createEvents(() => {
      throw new Error('and a broken reporter')
    })
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    events.on('settled', () => {
      throw new Error('a broken view')
    })
    const engine = createEngine({ store: t.store, random: () => 0, events })
    const { settled } = await engine.exchange({
      ended: [{ job, outcome: outcomes.success(), policy: plainPolicy, children: [], durationMs: 1 }],
    })
    expect(settled).toEqual(['applied'])
    expect((await t.detail(key)).job.state).toBe('completed')
    expect(warned).toHaveBeenCalledOnce()
    warned.mockRestore()
  })

  it("gives a store's error to the caller as it is, and nothing was applied", async () => {
    const t = await testEngine()
    const { key, job } = await running(t)
    const exchange = t.store.exchange.bind(t.store)
    t.store.exchange = () => Promise.reject(new WfError('store_full', 'the disk is full'))
    await expect(t.settle(job, outcomes.success())).rejects.toMatchObject({ code: 'store_full' })
    t.store.exchange = exchange
    expect((await t.detail(key)).job.state).toBe('running')
    expect(await t.settle(job, outcomes.success())).toBe('applied')
  })

  // B033
  it('a settlement that meets a locked store for 3 s is stored when the lock goes; no retry is spent', async () => {
    const t = await testEngine({ file: true })
    const { key, job } = await running(t)
    const unlock = lockedByOther(t.location)
    let settled: unknown = 'pending'
    const settling = t.settle(job, outcomes.success('sent')).then((result) => {
      settled = result
    })
    await t.clock.advance(3_000)
    expect(settled).toBe('pending')
    unlock()
    await t.clock.advance(100)
    await settling
    expect(settled).toBe('applied')
    expect(await t.detail(key)).toMatchObject({
      job: { state: 'completed', retries: 3, attempt: 1 },
      result: '"sent"',
      attempts: [{ outcome: 'success' }],
    })
  })

  // B033
  it('when the lease was lost before the lock went, the report is stale and the job runs again as lost', async () => {
    const t = await testEngine({ file: true })
    const { key, job } = await running(t)
    const now = t.clock.now()
    await t.settle(job, outcomes.lost(), { onlyIfExpiredAt: now })
    const unlock = lockedByOther(t.location)
    const settling = t.settle(job, outcomes.success('sent'))
    await t.clock.advance(500)
    unlock()
    await t.clock.advance(100)
    expect(await settling).toBe('stale')
    expect(await t.detail(key)).toMatchObject({
      job: { state: 'available', crashes: 1 },
      result: null,
      attempts: [{ outcome: 'lost' }, { outcome: 'stale' }],
    })
  })

  // A13
  it('twenty stops of a type in a row pause it, once, and say so; a success in between starts the count again', async () => {
    const t = await testEngine()
    const paused: unknown[] = []
    t.events.on('paused', (event) => paused.push(event))
    const stop = async (count: number) => {
      for (let each = 0; each < count; each++) {
        const { job } = await running(t)
        await t.settle(job, outcomes.poison())
      }
    }
    await stop(19)
    const { job } = await running(t)
    await t.settle(job, outcomes.success())
    await stop(19)
    expect(paused).toEqual([])
    await stop(1)
    expect(paused).toEqual([{ type: 'mail', who: 'wf' }])
    await t.add()
    expect(await t.claim()).toEqual([])
  })

  it('tells of pauses and resumptions that changed something', async () => {
    const t = await testEngine()
    const heard: unknown[] = []
    t.events.on('paused', (event) => heard.push(['paused', event]))
    t.events.on('resumed', (event) => heard.push(['resumed', event]))
    const pause = { paused: true, reason: 'bank holiday', who: 'ann' }
    expect(await t.engine.pauseTypes(['mail', 'sms'], pause)).toEqual(['mail', 'sms'])
    expect(await t.engine.pauseTypes(['mail'], pause)).toEqual([])
    expect(await t.engine.pauseTypes(['mail'], { paused: false, reason: null, who: 'bob' })).toEqual(['mail'])
    expect(heard).toEqual([
      ['paused', { type: 'mail', who: 'ann' }],
      ['paused', { type: 'sms', who: 'ann' }],
      ['resumed', { type: 'mail', who: 'bob' }],
    ])
  })

  // B113
  it('due times and leases of a file store follow the clock of the process that judges; one fast clock brings jobs forward by its skew, no more', async () => {
    const right = await testEngine({ file: true })
    const fast = await testEngine({ location: right.location })
    fast.clock.setNow(right.clock.now() + 90_000)
    const key = await right.add({ delay: '2m' })
    await right.clock.advance(29_999)
    await fast.clock.advance(29_999)
    expect(await fast.claim()).toEqual([])
    await fast.clock.advance(1)
    expect((await fast.claim()).map((job) => job.key)).toEqual([key])
    expect(await right.claim()).toEqual([])
  })
})
