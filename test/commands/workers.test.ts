import { retireWorkers } from '../support/plans.ts'
import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore, type SeededStore } from '../support/seeded-store.ts'

interface Answer {
  matched: number
  changed: number
  skipped: number
  failed: number
  dryRun: boolean
  items: { id: string; status: string; why: string; jobs: number[] }[]
  error?: { code: string; message: string; hint: string }
}

/** A worker elsewhere whose lease is over, with a job each. */
async function deadWorker(t: SeededStore, id: string, label = id): Promise<number> {
  await t.join(id, { label, host: 'elsewhere', leaseMs: -60_000 })
  const key = await t.add()
  await t.claim({ workerId: id })
  return key
}

async function livingWorker(t: SeededStore, id = 'here#1'): Promise<number> {
  await t.join(id, { host: hostname(), pid: process.pid, leaseMs: 600_000 })
  const key = await t.add()
  await t.claim({ workerId: id })
  return key
}

const release = async (t: SeededStore, ...args: readonly string[]) => {
  const end = await cli(['workers', 'release', ...args, '--json'], {
    store: t.location,
    env: { WF_USER: 'ada' },
  })
  return { code: end.code, ...end.json<Answer>() }
}

const idsOf = async ({ store }: SeededStore) => (await store.workers(store.now())).map(({ id }) => id)

describe('wf workers list', () => {
  // B006
  it('shows a worker whose lease is over as gone as long as its row is there, with what it holds', async () => {
    const t = await seededStore()
    await retireWorkers(t.store, ['w#1'], t.store.now())
    await deadWorker(t, 'dead.1#a')
    await livingWorker(t, 'live.1#b')
    const shown = await cli(['workers', 'list'], { store: t.location })
    expect(shown.out).toMatch(/dead\.1#a +gone +1\/10 .*over for/)
    expect(shown.out).toMatch(/live\.1#b +running +1\/10 .*left/)
    expect(shown.err).toContain('wf workers release')
    const { items } = (await cli(['workers', 'list', '--json'], { store: t.location })).json<{
      items: object[]
    }>()
    expect(items).toMatchObject([
      { id: 'dead.1#a', alive: false, running: 1 },
      { id: 'live.1#b', alive: true, running: 1 },
    ])
    await release(t, 'dead.1#a')
    const after = await cli(['workers', 'list'], { store: t.location })
    expect([after.out.includes('dead'), after.err]).toEqual([false, ''])
  })
})

describe('wf workers release', () => {
  // B006
  it('ends the attempts of a dead worker as lost, takes its row, and records who did it and why', async () => {
    const t = await seededStore()
    const key = await deadWorker(t, 'dead.1#a')
    const done = await release(t, 'dead.1#a', '--reason', 'it burns')
    expect(done).toMatchObject({ code: 0, matched: 1, changed: 1, skipped: 0, failed: 0, dryRun: false })
    expect(done.items).toEqual([{ id: 'dead.1#a', status: 'changed', why: 'its lease is over', jobs: [key] }])
    const { job, attempts } = await t.detail(key)
    expect(job).toMatchObject({ state: 'available', retries: 3 })
    expect(attempts).toMatchObject([
      { outcome: 'lost', error: { message: 'worker dead.1#a was released by ada: it burns' } },
    ])
    expect(await t.store.history(10)).toMatchObject([
      { event: 'worker_released', who: 'ada', reason: 'it burns' },
    ])
    expect(await idsOf(t)).toEqual(['w#1'])
    expect(await t.store.stats(0)).toMatchObject([{ outcome: 'lost', count: 1 }])
  })

  it('takes an id, a label, an id without its incarnation, and an id that a narrow terminal cut, each worker once', async () => {
    const t = await seededStore()
    const ids = ['a.1#1', 'a.2#2', 'b.1#3', 'c.1#4', 'd.1#5']
    for (const id of ids) await deadWorker(t, id, id.slice(0, 1))
    const done = await release(t, 'a', 'a.2#2', 'b.1', 'c.1#4', 'd.1…')
    expect([done.code, done.matched, done.changed]).toEqual([0, 5, 5])
    expect(done.items.map(({ id }) => id)).toEqual(ids)
    expect(await idsOf(t)).toEqual(['w#1'])
  })

  it('asks for more of a cut id that several begin with', async () => {
    const t = await seededStore()
    await deadWorker(t, 'web-1.1#1')
    await deadWorker(t, 'web-1.1#2')
    const refused = await release(t, 'web-1…')
    expect([refused.code, refused.error?.message]).toEqual([
      2,
      expect.stringContaining('web-1.1#1, web-1.1#2'),
    ])
    expect(await idsOf(t)).toHaveLength(3)
  })

  it('takes a worker whose row is gone already but whose jobs nobody has taken yet', async () => {
    const t = await seededStore()
    const key = await deadWorker(t, 'dead.1#a')
    await retireWorkers(t.store, ['dead.1#a'], t.store.now())
    expect((await release(t, 'dead.1#a')).items).toEqual([
      { id: 'dead.1#a', status: 'changed', why: 'its row is gone', jobs: [key] },
    ])
    expect((await t.detail(key)).job.state).toBe('available')
  })

  // B006
  it('refuses a worker that lives with exit 5 and says what would happen; --force does it and says so', async () => {
    const t = await seededStore()
    const key = await livingWorker(t)
    const refused = await release(t, 'here#1')
    expect([refused.code, refused.matched, refused.failed, refused.error?.code]).toEqual([
      5,
      1,
      1,
      'conflict',
    ])
    expect(refused.error?.message).toMatch(
      /runs: its process \d+ is on this machine; released now, its 1 job could run twice/,
    )
    expect(refused.error?.hint).toContain('--force')
    expect((await t.detail(key)).job.state).toBe('running')
    const words = await cli(['workers', 'release', 'here#1', '--force'], { store: t.location })
    expect([words.code, words.err]).toEqual([0, expect.stringContaining('may run twice')])
    expect(words.out).toContain(`1 job ended as lost: ${key}`)
    expect((await t.detail(key)).job.state).toBe('available')
    expect(JSON.parse((await t.store.history(1))[0]?.detail ?? '')).toMatchObject({
      worker: 'here#1',
      forced: true,
    })
  })

  // B006
  it('watches a worker on another machine: refuses it when its lease moves, takes it when a renewal is missed', async () => {
    const t = await seededStore()
    await t.join('far#1', { host: 'elsewhere', leaseUntil: Date.now() + 16_000 })
    await t.join('far#2', { host: 'elsewhere', leaseUntil: Date.now() + 16_000 })
    const renewing = setInterval(() => void t.store.renew(['far#1'], Date.now() + 16_000, t.store.now()), 100)
    const end = await cli(['workers', 'release', 'far#1', 'far#2'], { store: t.location }).finally(() =>
      clearInterval(renewing),
    )
    expect(end.code).toBe(6)
    expect(end.err).toMatch(/watching far#1, far#2 for \d+ seconds? at most/)
    expect(end.out).toContain('failed worker far#1 still renews its lease')
    expect(end.out).toMatch(/released far#2 .*it has missed a renewal/)
    expect(end.out).toContain('matched 2 = 1 changed + 0 skipped + 1 failed')
  })

  it('--dry-run judges in the same way and changes nothing', async () => {
    const t = await seededStore()
    const key = await deadWorker(t, 'dead.1#a')
    await livingWorker(t)
    const told = await release(t, 'dead.1#a', 'here#1', '--dry-run')
    expect(told).toMatchObject({
      code: 6,
      matched: 2,
      changed: 1,
      failed: 1,
      dryRun: true,
      items: [{ jobs: [key] }, { status: 'failed' }],
    })
    expect((await t.detail(key)).job.state).toBe('running')
    expect([await idsOf(t), await t.store.history(10)]).toEqual([['dead.1#a', 'here#1', 'w#1'], []])
    const words = await cli(['workers', 'release', 'dead.1#a', '--dry-run'], { store: t.location })
    expect(words.out).toContain('1 worker would be released')
  })

  it('ends with exit 4 for one that nobody knows, and skips one that was released before', async () => {
    const t = await seededStore()
    await deadWorker(t, 'dead.1#a', 'dead')
    const unknown = await release(t, 'nobody')
    expect([unknown.code, unknown.failed, unknown.error?.code]).toEqual([4, 1, 'not_found'])
    await release(t, 'dead')
    const again = await release(t, 'dead.1#a', 'dead')
    expect(again).toMatchObject({ code: 0, matched: 2, changed: 0, skipped: 2, failed: 0 })
    expect(again.items[0]?.why).toBe('worker dead.1#a was released by ada before')
    expect((await cli(['workers', 'release'], { store: t.location })).code).toBe(2)
  })
})

describe('wf workers drain', () => {
  const drain = async (t: SeededStore, ...args: readonly string[]) => {
    const end = await cli(['workers', 'drain', ...args, '--json'], {
      store: t.location,
      env: { WF_USER: 'ada' },
    })
    return {
      code: end.code,
      ...end.json<Answer & { operation: number | null; undo: string | null; left?: readonly string[] }>(),
    }
  }

  it('asks those that live, skips those that drain already, and says who is gone or unknown', async () => {
    const t = await seededStore()
    await livingWorker(t, 'web.1#a')
    await livingWorker(t, 'web.2#b')
    await deadWorker(t, 'dead.1#c')
    const asked = await drain(t, 'web.1#a', '--reason', 'release 42')
    expect(asked).toMatchObject({
      code: 0,
      matched: 1,
      changed: 1,
      operation: expect.any(Number),
      undo: null,
    })
    const mixed = await drain(t, 'web.1', 'web.2', 'dead.1', 'nobody')
    expect(mixed).toMatchObject({
      code: 6,
      matched: 4,
      changed: 1,
      skipped: 1,
      failed: 2,
      error: { code: 'partly_done' },
    })
    expect(await drain(t, 'dead.1')).toMatchObject({
      code: 5,
      error: { hint: expect.stringContaining('workers release') },
    })
    expect(await drain(t, 'nobody')).toMatchObject({
      code: 4,
      error: { message: 'there is no worker nobody' },
    })
    expect(await drain(t, 'web1#a')).toMatchObject({
      code: 4,
      error: { message: 'there is no worker web1#a: did you mean web.1#a?' },
    })
    const states = (await t.store.workers(t.store.now())).map(({ id, state }) => [id, state])
    expect(states).toContainEqual(['web.1#a', 'draining'])
    expect(states).toContainEqual(['dead.1#c', 'running'])
  })

  it('changes nothing on a dry run, and says with --wait who has not gone (exit 7)', async () => {
    const t = await seededStore()
    await livingWorker(t, 'web.1#a')
    expect(await drain(t, 'web.1', '--dry-run')).toMatchObject({
      code: 0,
      changed: 1,
      dryRun: true,
      operation: null,
    })
    expect((await t.store.workers(t.store.now())).find(({ id }) => id === 'web.1#a')?.state).toBe('running')
    expect(await drain(t, 'web.1', '--wait', '50ms')).toMatchObject({
      code: 7,
      changed: 1,
      left: ['web.1#a'],
      error: { code: 'wait_timeout' },
    })
  })
})
