import { registerWorkers, retireWorkers } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { newJob } from '../../../src/domain/new-job.ts'
import { seededRandom } from '../../../src/random.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import type { Store } from '../../../src/store/port.ts'
import {
  claimRequest,
  exhaustedToDeadLetter,
  outcomes,
  sceneOn,
  type Scene,
} from '../../support/store-scene.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { startChild, type Child } from './support/child.ts'
import { fileScene } from './support/every-state.ts'
import { copyOf, freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'

/** One call of the port. */
interface Call {
  method: 'enqueue' | 'exchange' | 'resolveJobs' | 'stopJobs' | 'retireWorkers' | 'prune'
  args: readonly unknown[]
}

const day = 86_400_000

/** What is prepared on a store, and the one call that is then killed. */
const deeds: Readonly<Record<string, (scene: Scene) => Promise<Call>>> = {
  async 'enqueueing three, one with a key'({ now }) {
    const inputs = [{}, { idempotencyKey: 'k' }, { delay: 5_000 }]
    return {
      method: 'enqueue',
      args: [inputs.map((input) => newJob({ type: 't', variables: { a: 1 }, ...input }, now())), now()],
    }
  },
  async 'settling in every way, with children, and claiming what is due'({
    clock,
    now,
    enqueue,
    claim,
    settlement,
    settle,
  }) {
    await enqueue({}, {}, { retries: 1 }, {}, {}, {}, {})
    const [success, fail, dead, poison, raised, lost, late] = await claim()
    if (!success || !fail || !dead || !poison || !raised || !lost || !late) throw new Error('not claimed')
    await settle(late, outcomes.fail(10))
    await enqueue({}, {})
    await clock.advance(10)
    const child = { ...newJob({ type: 'child' }, now()), when: 'success' as const }
    const settlements = [
      settlement(success, outcomes.success({ ok: true }), {
        children: [child, { ...child, idempotency: { key: 'c', hash: 'h' } }],
      }),
      settlement(fail, outcomes.fail(60_000)),
      settlement(dead, outcomes.fail(), { policy: exhaustedToDeadLetter }),
      settlement(poison, outcomes.poison()),
      settlement(raised, outcomes.raised()),
      settlement(lost, outcomes.lost()),
      settlement({ ...late, attempt: 1 }, outcomes.success()),
    ]
    return { method: 'exchange', args: [{ settlements, claim: claimRequest() }, now()] }
  },
  async 'pausing a type at the end of a bad streak'({ now, enqueue, claim, settle, settlement }) {
    await enqueue(...Array.from({ length: 20 }, () => ({})))
    const jobs = await claim({ limit: 20 })
    for (const job of jobs.slice(1)) await settle(job, outcomes.raised())
    const [first] = jobs
    if (!first) throw new Error('not claimed')
    return { method: 'exchange', args: [{ settlements: [settlement(first, outcomes.raised())] }, now()] }
  },
  async 'each of the five roads out of a stop'({ now, enqueue, claim, settle }) {
    await enqueue({ variables: { amount: 1 } }, { retries: 1 }, {}, {}, {})
    const [raised, dead, poison, failing, running] = await claim()
    if (!raised || !dead || !poison || !failing || !running) throw new Error('not claimed')
    await settle(raised, outcomes.raised())
    await settle(dead, outcomes.fail(), { policy: exhaustedToDeadLetter })
    await settle(poison, outcomes.poison())
    await settle(failing, outcomes.fail(60_000))
    const by = { who: 'ada', reason: 'tried' }
    const batch = [
      {
        ...by,
        jobKey: raised.key,
        verb: 'resolve',
        retries: 2,
        set: [{ path: 'amount', value: 10, add: false }],
      },
      { ...by, jobKey: dead.key, verb: 'dlq_retry' },
      { ...by, jobKey: poison.key, verb: 'discard' },
      { ...by, jobKey: failing.key, verb: 'retry' },
      { ...by, jobKey: running.key, verb: 'cancel' },
    ]
    return { method: 'resolveJobs', args: [batch, now()] }
  },
  async 'stopping what missed its deadline'({ now, enqueue, clock, store }) {
    await enqueue({ deadline: '1s' }, { deadline: '2s' })
    await clock.advance(3_000)
    const incident = {
      kind: 'deadline_exceeded',
      error: { name: 'E', message: 'late', code: null, stack: null, causes: [], truncated: false },
      fingerprint: 'f',
    }
    const stops = (await store.overdue(now(), 10)).map(({ key }) => ({ jobKey: key, incident }))
    return { method: 'stopJobs', args: [stops, now()] }
  },
  async 'taking a worker away'({ now, enqueue, claim }) {
    await enqueue({}, {})
    await claim()
    return { method: 'retireWorkers', args: [['w#1'], now()] }
  },
  async 'pruning what is old'({ now, enqueue, claim, settle, clock }) {
    await enqueue({ idempotencyKey: 'k' }, { retries: 1 }, {})
    const [success, dead, fail] = await claim()
    if (!success || !dead || !fail) throw new Error('not claimed')
    await settle(success, outcomes.success({ ok: true }))
    await settle(dead, outcomes.fail(), { policy: exhaustedToDeadLetter })
    await settle(fail, outcomes.fail(60_000))
    await clock.advance(2 * day)
    return {
      method: 'prune',
      args: [{ finishedMs: day, deadLettersMs: day, idempotencyKeysMs: day, statsMs: day }, now()],
    }
  },
}

/** Every row of every table. */
function contentsOf(path: string): Record<string, unknown> {
  const db = openRaw(path)
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[]
  const rows = Object.fromEntries(tables.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]))
  db.close()
  return rows
}

describe('a process that is killed between two statements', () => {
  // B011
  it.each(Object.entries(deeds))('%s: all of it is there afterwards, or none', async (_, deed) => {
    const prepared = freshPath()
    const scene = await fileScene(prepared)
    const call = await deed(scene)
    await scene.store.close()
    const before = contentsOf(prepared)
    const whole = copyOf(prepared)
    const statements = await runOn(whole, call)
    const after = contentsOf(whole)
    expect(after).not.toEqual(before)
    const kill = async (point: { killBefore: number } | { killAfter: number }) => {
      const path = copyOf(prepared)
      await expect(runOn(path, call, point)).rejects.toMatchObject({ code: 'SIGKILL' })
      const committed = 'killAfter' in point
      expect(contentsOf(path), JSON.stringify(point)).toEqual(committed ? after : before)
      expect(checkInvariantsOf(path)).toEqual([])
    }
    const points = [
      { killAfter: statements },
      { killBefore: statements },
      ...pointsBelow(statements).map((killBefore) => ({ killBefore })),
    ]
    for (let at = 0; at < points.length; at += 4) await Promise.all(points.slice(at, at + 4).map(kill))
  })
})

async function runOn(path: string, { method, args }: Call, point: object = {}): Promise<number> {
  const child = await startChild()
  await child.do('open', { path })
  await child.do('watch', point)
  await child.do('call', { method, args })
  const count = await child.do<number>('count')
  await child.leave()
  return count
}

/** All of them, or a few that say the same each time. */
function pointsBelow(statements: number): number[] {
  const all = Array.from({ length: statements - 1 }, (_, index) => index + 1)
  if (long) return all
  const random = seededRandom(statements)
  return all.filter(() => random() < 2 / all.length)
}

describe('a worker that is killed', () => {
  // B012
  it('at a random moment after its claims: every job is accounted for, what was acknowledged stays, the rest runs again', async () => {
    const jobs = long ? 1_000 : 300
    const kills = long ? 100 : 6
    const seed = Number(process.env['WF_SEED'] ?? 1)
    const random = seededRandom(seed)
    const path = freshPath()
    const store = await openWrite(path)
    await store.enqueue(jobsOf(jobs), systemClock.now())
    const acknowledged = new Set<number>()
    for (let round = 0; round < kills; round++) {
      const workerId = `w#${round}`
      const child = await startChild()
      await child.do('open', { path })
      await registerWorkers(
        store,
        [{ ...row, id: workerId, label: workerId, leaseUntil: systemClock.now() + 600_000 }],
        systemClock.now(),
      )
      await workUntil(child, {
        workerId,
        turns: Math.ceil(random() * 5),
        ms: random() * 5,
        settled: (key) => acknowledged.add(key),
      })
      expect(
        openRaw(path).prepare('SELECT count(*) FROM wf_jobs JOIN wf_job_data ON job_key = key').pluck().get(),
        `seed ${seed}`,
      ).toBe(jobs)
      for (const { jobKey } of await store.held(workerId)) expect(acknowledged.has(jobKey)).toBe(false)
      await retireWorkers(store, [workerId], systemClock.now())
    }
    const done = new Set(
      openRaw(path).prepare("SELECT key FROM wf_jobs WHERE state = 'completed'").pluck().all() as number[],
    )
    for (const key of acknowledged)
      expect(done.has(key), `seed ${seed}: job ${key} was acknowledged`).toBe(true)
    expect(acknowledged.size).toBeGreaterThan(0)
    await giveBackAndFinish(store, jobs)
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B018
  it('with a job of an idempotency key: the key leads to that job before its lease ends and after, and the job can be finished', async () => {
    const path = freshPath()
    const clock = createFakeClock(systemClock.now())
    const store = await openWrite(path, { clock })
    const { enqueue, join, settle, detail, claimOne } = sceneOn({
      store,
      clock,
      another: null,
      faults: () => [],
    })
    const once = { idempotencyKey: 'k', retries: 1, variables: { a: 1 } }
    const [first] = await enqueue(once)
    await join('w#1')
    const child = await startChild()
    await child.do('open', { path })
    await child.call('exchange', { settlements: [], claim: claimRequest({ limit: 1 }) }, clock.now())
    await child.kill()
    expect(first).toEqual({ status: 'created', key: 1 })
    expect(await enqueue(once)).toEqual([{ status: 'duplicate', key: 1 }])
    expect(await enqueue({ ...once, variables: { a: 2 } })).toEqual([
      { status: 'refused', reason: 'idempotency_conflict', key: 1 },
    ])
    await clock.advance(40_000)
    const [expired] = await store.expiredLeases(clock.now(), 10)
    if (!expired) throw new Error('its lease has not expired')
    expect(await settle(expired.job, outcomes.lost(), { onlyIfExpiredAt: clock.now() })).toBe('applied')
    expect(await enqueue(once)).toEqual([{ status: 'duplicate', key: 1 }])
    expect((await detail(1)).job).toMatchObject({ state: 'available', retries: 1 })
    await join('w#2')
    expect(await settle(await claimOne({ workerId: 'w#2' }), outcomes.success())).toBe('applied')
    expect(await enqueue(once)).toEqual([{ status: 'duplicate', key: 1 }])
    expect((await detail(1)).job).toMatchObject({ state: 'completed', attempt: 2 })
    expect(checkInvariantsOf(path)).toEqual([])
  })
})

const row = {
  pid: 1,
  host: 'test',
  startedAt: 1,
  state: 'running' as const,
  concurrency: 10,
  types: ['t'],
  quarantine: false,
}

interface Work {
  workerId: string
  /** Exchanges that it gets to make, and ms that it then still has. */
  turns: number
  ms: number
  settled(key: number): void
}

/** Lets it work and kills it. */
async function workUntil(child: Child, { workerId, turns, ms, settled }: Work): Promise<void> {
  let left = turns
  const enough = new Promise<void>((resolve) => {
    child.heard<{ settled?: number[] }>((said) => {
      for (const key of said.settled ?? []) settled(key)
      left -= 1
      if (left === 0) resolve()
    })
  })
  await child.do('work', { workerId, type: 't', batch: 8 })
  await enough
  await systemClock.sleep(ms)
  await child.kill()
}

/** A sweeper's and then a worker's work: nothing may be left that cannot be finished. */
async function giveBackAndFinish(store: Store, jobs: number): Promise<void> {
  const scene = sceneOn({ store, clock: createFakeClock(systemClock.now()), another: null, faults: () => [] })
  for (
    let expired = await store.expiredLeases(scene.now(), 500);
    expired.length > 0;
    expired = await store.expiredLeases(scene.now(), 500)
  ) {
    for (const { job } of expired)
      expect(await scene.settle(job, outcomes.lost(), { onlyIfExpiredAt: scene.now() })).toBe('applied')
  }
  await scene.join('last#1')
  await scene.clock.advance(2_000)
  for (const suspects of [false, true]) {
    for (
      let claimed = await scene.claim({ suspects, workerId: 'last#1', limit: 60 });
      claimed.length > 0;
      claimed = await scene.claim({ suspects, workerId: 'last#1', limit: 60 })
    ) {
      await store.exchange(
        { settlements: claimed.map((job) => scene.settlement(job, outcomes.success())) },
        scene.now(),
      )
    }
  }
  let completed = 0
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.jobs(
      { states: ['completed'] },
      { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
    )
    completed += page.items.length
    cursor = page.next
  }
  expect(completed).toBe(jobs)
}
