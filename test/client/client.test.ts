import { declareTypes } from '../support/plans.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, openClient, type Client } from '../../src/client.ts'
import type { WfError } from '../../src/errors.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { outcomes, plainPolicy, testEngine, type TestEngine } from '../support/test-engine.ts'

async function clientOn(t: TestEngine): Promise<Client> {
  const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
  onTestFinished(() => client.close())
  return client
}

/** A producer and a worker with a connection each, on one file. */
async function apart() {
  const worker = await testEngine({ file: true })
  const producer = await testEngine({ location: worker.location, clock: worker.clock })
  return { worker, client: await clientOn(producer) }
}

async function runOne(
  t: TestEngine,
  outcome: Parameters<TestEngine['settle']>[1],
  over: Parameters<TestEngine['settle']>[2] = {},
) {
  const [job] = await t.claim({ limit: 1 })
  if (!job) throw new Error('not claimed')
  await t.settle(job, outcome, over)
}

const rejection = (promise: Promise<unknown>): Promise<WfError> =>
  promise.then(
    () => expect.unreachable(),
    (error: WfError) => error,
  )

describe('producing', () => {
  it('answers with the key of a job that is there', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail', { to: 'ann' }, { priority: 5, retries: 2 })
    expect(job).toMatchObject({ key: 1, type: 'mail', duplicate: false })
    expect(await t.detail(job.key)).toMatchObject({
      variables: '{"to":"ann"}',
      job: { priority: 5, retries: 2, retriesGiven: true },
    })
  })

  it('refuses what is not acceptable, with its code, and writes nothing', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    for (const enqueue of [
      client.enqueue(''),
      client.enqueue('mail', [] as object),
      client.enqueue('mail', {}, { retries: 0 }),
      client.enqueue('mail', { big: 2n }),
    ]) {
      expect((await rejection(enqueue)).code).toBe('invalid_job')
    }
    expect((await client.jobs.jobs({}, { limit: 10 })).items).toEqual([])
  })

  // A32
  it('the same type, key and variables, in whatever order, mean the first job; other variables are refused and name it', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const first = await client.enqueue('mail', { a: 1, b: { c: [1, 2], d: null } }, { idempotencyKey: 'k' })
    expect(
      await client.enqueue('mail', { b: { d: null, c: [1, 2] }, a: 1 }, { idempotencyKey: 'k' }),
    ).toMatchObject({
      key: first.key,
      duplicate: true,
    })
    expect(await client.enqueue('sms', { a: 1 }, { idempotencyKey: 'k' })).toMatchObject({ duplicate: false })
    const refused = await rejection(client.enqueue('mail', { a: 2 }, { idempotencyKey: 'k' }))
    expect(refused).toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining(`job ${first.key}`),
    })
    expect((await client.jobs.jobs({ types: ['mail'] }, { limit: 10 })).items).toHaveLength(1)
  })

  // A32
  it('both still hold when the job has been pruned', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const first = await client.enqueue('mail', { a: 1 }, { idempotencyKey: 'k' })
    await runOne(t, outcomes.success())
    await t.clock.advance(10_000)
    while (
      (
        await t.store.prune(
          { finishedMs: 1_000, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null },
          t.clock.now(),
        )
      ).more
    );
    expect(await client.jobs.job(first.key)).toBeNull()
    expect(await client.enqueue('mail', { a: 1 }, { idempotencyKey: 'k' })).toMatchObject({
      key: first.key,
      duplicate: true,
    })
    expect((await rejection(client.enqueue('mail', { a: 2 }, { idempotencyKey: 'k' }))).code).toBe(
      'idempotency_conflict',
    )
  })

  // A32
  it('two stores have different ids, so that their idempotency keys never meet', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await (await testEngine()).store.info()).storeId),
    )
    expect(new Set(ids).size).toBe(3)
  })

  // B108
  it('a hundred producers at once with one key, on two connections, get one job', async () => {
    const { worker, client } = await apart()
    const other = await clientOn(worker)
    const enqueued = Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? client : other).enqueue('mail', { a: 1 }, { idempotencyKey: 'k' }),
    )
    await worker.clock.advance(1_000)
    const jobs = await Promise.all(enqueued)
    expect(new Set(jobs.map(({ key }) => key)).size).toBe(1)
    expect(jobs.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  })

  // A33
  it('a full backlog refuses with its own code and numbers; one settled, one more is taken', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    await declareTypes(
      t.store,
      [
        {
          type: 'mail',
          timeoutMs: 1_000,
          concurrency: 1,
          retries: 3,
          backlogLimit: 2,
          onExhausted: 'incident',
        },
      ],
      t.clock.now(),
    )
    await client.enqueue('mail')
    await client.enqueue('mail', {}, { delay: '1h' })
    expect(await rejection(client.enqueue('mail'))).toMatchObject({
      code: 'backlog_full',
      message: 'mail has 2 unfinished jobs; its backlog limit is 2',
    })
    await expect(client.enqueue('sms')).resolves.toMatchObject({ duplicate: false })
    await runOne(t, outcomes.success())
    await expect(client.enqueue('mail')).resolves.toMatchObject({ duplicate: false })
    expect((await rejection(client.enqueue('mail'))).code).toBe('backlog_full')
  })

  it('takes many in order, at most 1,000 a transaction; one that is refused leaves the others standing', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const batches: number[] = []
    const enqueue = t.store.enqueue.bind(t.store)
    t.store.enqueue = (jobs, now) => {
      batches.push(jobs.length)
      return enqueue(jobs, now)
    }
    const items = Array.from({ length: 2_500 }, (_, index) => ({
      type: index === 1_700 ? '' : 'mail',
      variables: { index },
    }))
    const results = await client.enqueueMany(items)
    expect(batches).toEqual([1_000, 999, 500])
    expect(
      results
        .map(({ status }, index) => (status === 'refused' ? index : null))
        .filter((index) => index !== null),
    ).toEqual([1_700])
    expect(results[1_700]).toMatchObject({ status: 'refused', error: { code: 'invalid_job' } })
    const last = results.at(-1)
    expect(last?.status === 'accepted' && (await t.detail(last.job.key)).variables).toBe('{"index":2499}')
    expect(await client.enqueueMany([])).toEqual([])
  })

  it('gives each of many its own answer, whatever mixture of good, repeated, conflicting and bad ones comes', async () => {
    const item = fc.record({ kind: fc.constantFrom('good', 'bad', 'keyed'), id: fc.nat(3), value: fc.nat(1) })
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (items) => {
        const t = await testEngine()
        const client = await clientOn(t)
        const results = await client.enqueueMany(
          items.map(({ kind, id, value }) => ({
            type: kind === 'bad' ? ' ' : 'mail',
            variables: { value },
            ...(kind === 'keyed' ? { idempotencyKey: `k${id}` } : {}),
          })),
        )
        const first = new Map<number, { key: number; value: number }>()
        for (const [index, { kind, id, value }] of items.entries()) {
          const result = results[index]
          const known = first.get(id)
          if (kind === 'bad')
            expect(result).toMatchObject({ status: 'refused', error: { code: 'invalid_job' } })
          else if (kind === 'keyed' && known && known.value !== value)
            expect(result).toMatchObject({ status: 'refused', error: { code: 'idempotency_conflict' } })
          else
            expect(result).toMatchObject({
              status: 'accepted',
              job: kind === 'keyed' && known ? { key: known.key, duplicate: true } : { duplicate: false },
            })
          if (kind === 'keyed' && !known && result?.status === 'accepted')
            first.set(id, { key: result.job.key, value })
        }
        expect(results).toHaveLength(items.length)
      }),
      { numRuns: 30 },
    )
  })
})

describe('waiting for a job', () => {
  it('resolves with the result when another process completes it', async () => {
    const { worker, client } = await apart()
    const job = await client.enqueue('mail')
    const end = job.wait({ timeout: '1m' })
    await worker.clock.advance(5_000)
    await runOne(worker, outcomes.success({ sent: true }))
    await worker.clock.advance(600)
    expect(await end).toEqual({ key: job.key, type: 'mail', state: 'completed', result: { sent: true } })
    expect(worker.clock.pendingTimers).toBe(0)
  })

  it('hears of its own connection, whose commits no watch reports, at once', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail', {}, { delay: '1h' })
    const end = job.wait()
    await t.clock.advance(100)
    await client.cancel(job.key)
    await t.clock.advance(20)
    expect(await end).toEqual({ key: job.key, type: 'mail', state: 'cancelled' })
  })

  it('tells each way in which a job comes to rest, with its reason', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const endOf = async (
      outcome: Parameters<TestEngine['settle']>[1],
      over: Parameters<TestEngine['settle']>[2] = {},
    ) => {
      const job = await client.enqueue('mail', {}, { retries: 1 })
      await runOne(t, outcome, over)
      return client.wait(job.key)
    }
    expect(await endOf(outcomes.success())).not.toHaveProperty('result')
    expect(await endOf(outcomes.business('CARD_DECLINED'))).toMatchObject({
      state: 'rejected',
      error: { code: 'CARD_DECLINED', message: 'CARD_DECLINED' },
    })
    expect(await endOf(outcomes.fail('boom'))).toMatchObject({
      state: 'failed',
      incident: 'job_no_retries',
      error: { name: 'Error', message: 'boom' },
    })
    const policy = { ...plainPolicy, onExhausted: 'dead-letter' as const }
    expect(await endOf(outcomes.fail('gone'), { policy })).toMatchObject({
      state: 'dead',
      error: { message: 'gone' },
    })
    expect(t.clock.pendingTimers).toBe(0)
  })

  it('waits on through failures and backoffs', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail')
    let ended = false
    const end = job.wait().then((how) => {
      ended = true
      return how
    })
    await runOne(t, outcomes.fail())
    await t.clock.advance(1_000)
    expect(ended).toBe(false)
    await runOne(t, outcomes.success(7))
    await t.clock.advance(1_000)
    expect(await end).toMatchObject({ state: 'completed', result: 7 })
  })

  it('gives up after its timeout, by monotonic time, and leaves no timer', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail', {}, { delay: '1h' })
    const refused = rejection(job.wait({ timeout: '10s' }))
    await t.clock.advance(5_000)
    t.clock.setNow(t.clock.now() + 3_600_000)
    await t.clock.advance(4_999)
    expect(t.clock.pendingTimers).toBeGreaterThan(0)
    await t.clock.advance(1)
    expect(await refused).toMatchObject({
      code: 'wait_timeout',
      message: `job ${job.key} has not come to rest within 10000 ms`,
    })
    await t.clock.advance(20)
    expect(t.clock.pendingTimers).toBe(0)
    expect(await rejection(job.wait({ timeout: 'soon' }))).toMatchObject({ code: 'usage' })
  })

  it('ends with the reason of its signal, before or while it waits', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail', {}, { delay: '1h' })
    const stop = new AbortController()
    const ended = rejection(job.wait({ signal: stop.signal }))
    stop.abort(new Error('the request was closed'))
    expect(await ended).toEqual(new Error('the request was closed'))
    expect(await rejection(job.wait({ signal: stop.signal }))).toEqual(new Error('the request was closed'))
  })

  it('says that there is no such job', async () => {
    const client = await clientOn(await testEngine())
    expect(await rejection(client.wait(99))).toMatchObject({ code: 'not_found' })
  })

  it('asks once for all that wait, not once for each', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    let questions = 0
    const jobs = t.store.jobs.bind(t.store)
    t.store.jobs = (...args) => {
      questions++
      return jobs(...args)
    }
    const enqueued = await client.enqueueMany(Array.from({ length: 200 }, () => ({ type: 'mail' })))
    const ends = enqueued.map((each) => (each.status === 'accepted' ? each.job.wait() : expect.unreachable()))
    await t.clock.advance(2_000)
    expect(questions).toBeLessThan(20)
    for (let round = 0; round < 4; round++)
      for (const job of await t.claim({ limit: 50 })) await t.settle(job, outcomes.success())
    await t.clock.advance(1_000)
    expect(new Set((await Promise.all(ends)).map(({ state }) => state))).toEqual(new Set(['completed']))
  })

  it('goes on when the store was locked for a look, and ends with what else the store says', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail')
    const { WfError } = await import('../../src/errors.ts')
    const jobs = t.store.jobs.bind(t.store)
    t.store.jobs = () => Promise.reject(new WfError('store_locked', 'locked'))
    const end = rejection(job.wait())
    await t.clock.advance(2_000)
    t.store.jobs = () => Promise.reject(new WfError('store_corrupt', 'damaged'))
    await t.clock.advance(2_000)
    expect((await end).code).toBe('store_corrupt')
    t.store.jobs = jobs
  })

  it('ends when the client is closed', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const job = await client.enqueue('mail', {}, { delay: '1h' })
    const ended = rejection(job.wait())
    await t.clock.advance(10)
    const closed = client.close()
    await t.clock.advance(20)
    await closed
    expect((await ended).code).toBe('store_unavailable')
    expect((await rejection(client.wait(job.key))).code).toBe('store_unavailable')
  })
})

describe('looking after jobs', () => {
  it('resolves, retries and cancels by key, says what became of each, and repeats without harm', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const stopped = await client.enqueue('mail')
    await runOne(t, outcomes.raised('look'))
    expect((await client.incidents.incidents({}, { limit: 10 })).items).toMatchObject([
      { jobKey: stopped.key, kind: 'raised' },
    ])
    expect(
      await client.resolve(stopped.key, { retries: 2, reason: 'mended', newEffects: true }),
    ).toMatchObject([{ status: 'changed', to: 'available' }])
    expect(await client.resolve([stopped.key, 99])).toMatchObject([
      { status: 'skipped' },
      { status: 'not_found' },
    ])
    const [incident] = (await t.detail(stopped.key)).incidents
    expect(incident).toMatchObject({ resolvedBy: 'test', reason: 'mended' })
    expect((await client.jobs.job(stopped.key))?.effectsEpoch).toBe(1)
    expect(await client.cancel(stopped.key, { reason: 'not needed' })).toMatchObject([
      { status: 'changed', to: 'cancelled' },
    ])
    expect(await client.cancel([stopped.key])).toMatchObject([{ status: 'skipped' }])
  })

  it('retries a waiting job at once and a dead one from its dead letter', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const waiting = await client.enqueue('mail', {}, { delay: '1h' })
    const dead = await client.enqueue('mail', {}, { retries: 1 })
    await runOne(t, outcomes.fail(), { policy: { ...plainPolicy, onExhausted: 'dead-letter' } })
    expect((await client.deadLetters.deadLetters({}, { limit: 10 })).items).toMatchObject([
      { jobKey: dead.key },
    ])
    expect(await client.retry([waiting.key, dead.key])).toMatchObject([
      { status: 'changed' },
      { status: 'changed' },
    ])
    expect((await t.claim()).map(({ key }) => key).toSorted()).toEqual([waiting.key, dead.key])
  })
})

describe('opening a client', () => {
  it('makes the store, its directory too, unless told not to', async () => {
    const path = join(temporaryDirectory(), 'deep', 'er', 'wf.db')
    expect(await rejection(openClient({ store: path, create: false }))).toMatchObject({
      code: 'store_missing',
    })
    expect(existsSync(path)).toBe(false)
    const client = await openClient({ store: path })
    const { key } = await client.enqueue('mail')
    await client.close()
    const again = await openClient({ store: path, create: false })
    expect((await again.jobs.job(key))?.job.state).toBe('available')
    await again.close()
    await again.close()
  })

  // B076
  it('takes variables up to what the settings of its process say', async () => {
    vi.stubEnv('WF_MAX_VARIABLES', '1KiB')
    onTestFinished(() => void vi.unstubAllEnvs())
    const client = await openClient({ store: join(temporaryDirectory(), 'wf.db') })
    onTestFinished(() => client.close())
    expect((await rejection(client.enqueue('mail', { a: 'x'.repeat(1_024) }))).message).toContain(
      'limits.variables (WF_MAX_VARIABLES) allows 1,024 bytes',
    )
  })

  it('says plainly which stores there are not, and shows no password', async () => {
    const refused = await rejection(openClient({ store: 'postgres://me:s3cret@db/wf' }))
    expect(refused).toMatchObject({ code: 'usage', message: 'PostgreSQL stores are not available yet' })
    expect(JSON.stringify([refused.message, refused.hint])).not.toContain('s3cret')
    expect((await rejection(openClient({ store: 'redis://x' }))).code).toBe('usage')
  })

  it('refuses an option that it does not know, and a durability that is none', async () => {
    expect(await rejection(openClient({ durability: 'off' as 'power' }))).toMatchObject({
      code: 'invalid_config',
    })
    expect(await rejection(openClient({ stroe: './wf.db' } as object))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('stroe'),
    })
  })
})

describe('a client that looks after jobs', () => {
  it('says why a job is where it is, moves it, and throws a dead letter away for good', async () => {
    const client = await clientOn(await testEngine())
    const { key } = await client.enqueue('mail', {})
    expect((await client.explain(key))?.why.join(' ')).toContain('No living worker handles the type mail.')
    expect(await client.explain(4711)).toBeNull()
    expect(await client.update(key, { priority: 7, at: new Date(Date.UTC(2100, 0)) })).toMatchObject([
      { status: 'changed', to: 'waiting' },
    ])
    expect((await client.jobs.job(key))?.job).toMatchObject({ priority: 7, state: 'waiting' })
    expect(await client.discard(key)).toMatchObject([
      { status: 'failed', why: expect.stringContaining('no open dead letter') },
    ])
  })

  it('finds the causes of what stopped, and takes a change of its own back', async () => {
    const t = await testEngine()
    const client = await clientOn(t)
    const { key } = await client.enqueue('mail', {})
    await runOne(t, outcomes.raised())
    expect(await client.causes()).toMatchObject([{ type: 'mail', count: 1, sampleKeys: [key] }])
    await client.resolve(key, { retries: 2, reason: 'mended' })
    const [operation] = (await client.operations.operations({}, { limit: 1 })).items
    expect(operation).toMatchObject({ verb: 'resolve', who: 'test', reason: 'mended', changed: 1 })
    expect(await client.undo(operation?.id ?? 0)).toMatchObject([{ jobKey: key, status: 'changed' }])
    expect((await client.jobs.job(key))?.job.state).toBe('failed')
    expect((await rejection(client.undo(4711))).code).toBe('not_found')
  })
})
