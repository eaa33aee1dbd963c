/** Whatever is done in whatever order, SQLite does what the model does, and what must always hold does. */
import { repeats } from '../support/long.ts'
import { exchange, pauseTypes, registerWorkers, resolveJobs, stopJobs } from '../support/plans.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/domain/decide.ts'
import type { ClaimedJob, Job } from '../../src/domain/job.ts'
import { newJob, type EnqueueInput } from '../../src/domain/new-job.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import type { ResolutionVerb } from '../../src/domain/resolution.ts'
import { seededRandom } from '../../src/random.ts'
import type { Store } from '../../src/store/port.ts'
import { openScene } from '../support/store-sqlite.ts'
import { StoreModel } from '../support/store-model.ts'
import { outcomes, plainPolicy, type OpenedStore } from '../support/store-scene.ts'

interface World {
  model: StoreModel
  /** Every attempt that was ever claimed: each may report at any time, and again. */
  attempts: ClaimedJob[]
  /** Highest attempt seen of each job, and jobs seen in a final state. */
  reached: Map<number, number>
  ended: Set<number>
}

type Real = OpenedStore & { random: () => number }
type Command = fc.AsyncCommand<World, Real>

const command = (name: string, run: (world: World, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(world, real) {
    await run(world, real)
    await compare(world, real)
  },
  toString: () => name,
})

async function compare({ model, reached, ended }: World, { store, faults }: Real): Promise<void> {
  const stored = (await store.jobs({}, { limit: 1_000 })).items.toReversed()
  const modelled = [...model.jobs.values()].map(({ job }) => job)
  expect(stored).toEqual(modelled)
  for (const { job, applied } of model.jobs.values()) {
    expect(new Set(applied).size, 'one settlement an attempt').toBe(applied.length)
    expect(job.retries).toBeGreaterThanOrEqual(0)
    expect(job.attempt).toBeGreaterThanOrEqual(reached.get(job.key) ?? 0)
    reached.set(job.key, job.attempt)
    if (ended.has(job.key)) expect(['completed', 'rejected', 'cancelled']).toContain(job.state)
    if (job.finishedAt !== null) ended.add(job.key)
  }
  const streaks = (await store.types(0)).map(({ type, badStreak }) => [type, badStreak] as const)
  for (const [type, streak] of streaks) expect(streak).toBe(model.streaks.get(type) ?? 0)
  const stops = await store.incidents({ includeClosed: true }, { limit: 1_000 })
  expect(stops.items.filter(({ resolvedAt }) => resolvedAt === null).length).toBe(
    [...model.jobs.values()].filter(({ open }) => open).length,
  )
  expect(stops.items.length).toBe([...model.jobs.values()].flatMap(({ incidents }) => incidents).length)
  expect(faults()).toEqual([])
}

const enqueue = fc
  .record({
    type: fc.constantFrom('t', 'u'),
    priority: fc.integer({ min: 0, max: 1 }),
    /** Due before now, now, later. */
    due: fc.constantFrom(-400, -20, 0, 500, 5_000),
    retries: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    deadline: fc.option(fc.constantFrom('6s', '30s'), { nil: undefined }),
    key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
    value: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ type, priority, due, retries, deadline, key, value }) => {
    const more = {
      ...(retries && { retries }),
      ...(deadline && { deadline }),
      ...(key && { idempotencyKey: key }),
    }
    const input: EnqueueInput = { type, priority, variables: { value }, ...more }
    return command(`enqueue ${JSON.stringify(input)} due ${due}`, async ({ model }, { store, clock }) => {
      const job = newJob({ ...input, at: clock.now() + due }, clock.now())
      expect(await store.enqueue([job], clock.now())).toEqual([model.enqueue(job, clock.now())])
    })
  })

const claim = fc
  .record({
    workerId: fc.constantFrom('w#1', 'w#2', 'ghost'),
    limit: fc.integer({ min: 1, max: 4 }),
    suspects: fc.boolean(),
  })
  .map(({ workerId, limit, suspects }) =>
    command(
      `claim ${workerId} ${limit}${suspects ? ' suspects' : ''}`,
      async ({ model, attempts }, { store, clock }) => {
        const types = ['t', 'u'].map((type) => ({ type, limit, timeoutMs: 10_000, retries: 2 }))
        const byKey = (jobs: readonly ClaimedJob[]) => jobs.toSorted((a, b) => a.key - b.key)
        const { claimed } = await exchange(
          store,
          { settlements: [], claim: { workerId, limit: limit * 2, types, suspects } },
          clock.now(),
        )
        const expected = model.claim(workerId, types, { suspects, now: clock.now() })
        expect(byKey(claimed)).toEqual(byKey(expected))
        attempts.push(...claimed)
      },
    ),
  )

const endings: readonly ((now: number) => Outcome)[] = [
  () => outcomes.success({ done: true }),
  () => outcomes.fail(0),
  () => outcomes.fail(),
  (now) => outcomes.defer(now + 3_000),
  outcomes.raised,
  () => outcomes.poison(),
  () => outcomes.business(true),
  () => outcomes.business(false),
  outcomes.interrupted,
  outcomes.lost,
  outcomes.badResult,
]

interface Report {
  job: Job
  outcome: Outcome
}

async function settle(
  { model }: World,
  { store, clock, random }: Real,
  { reports, sweep }: { reports: readonly Report[]; sweep: boolean },
) {
  const now = clock.now()
  const settlements = reports.map(({ job, outcome }) => ({
    ...decide({
      job,
      outcome,
      policy: { ...plainPolicy, onExhausted: job.type === 't' ? 'incident' : 'dead-letter' },
      children: [],
      now,
      random,
    }),
    ...(sweep ? { onlyIfExpiredAt: now } : {}),
  }))
  const pausedBefore = new Set(model.paused)
  const { settled, paused } = await exchange(store, { settlements }, now)
  expect(settled).toEqual(settlements.map((settlement) => model.settle(settlement, now)))
  expect(new Set(paused)).toEqual(new Set([...model.paused].filter((type) => !pausedBefore.has(type))))
}

const reports = fc.array(fc.record({ pick: fc.nat(), ending: fc.nat(endings.length - 1) }), {
  minLength: 1,
  maxLength: 4,
})

const report = reports.map((picked) =>
  command(
    `report ${picked.map(({ pick, ending }) => `${pick} as ${ending}`).join(', ')}`,
    async (world, real) => {
      const { attempts } = world
      const ended = picked.flatMap(({ pick, ending }) => {
        const job = attempts[attempts.length - 1 - (pick % Math.max(1, attempts.length))]
        const outcome = endings[ending]?.(real.clock.now())
        return job === undefined || outcome === undefined ? [] : [{ job, outcome }]
      })
      await settle(world, real, { reports: ended, sweep: false })
    },
  ),
)

const sweep = fc.constant(null).map(() =>
  command('sweep', async (world, real) => {
    const now = real.clock.now()
    const expired = await real.store.expiredLeases(now, 1_000)
    expect(expired.map(({ job }) => job)).toEqual(world.model.expired(now))
    await settle(world, real, {
      reports: expired.map(({ job }) => ({ job, outcome: outcomes.lost() })),
      sweep: true,
    })
    const overdue = await real.store.overdue(now, 1_000)
    expect(new Set(overdue.map(({ key }) => key))).toEqual(
      new Set(world.model.overdue(now).map(({ key }) => key)),
    )
    const incident = {
      kind: 'deadline_exceeded' as const,
      error: { name: 'E', message: '', code: null, stack: null, causes: [], truncated: false },
      fingerprint: 'f',
    }
    // Not only those: a stop that comes too late, or for a job that is not late, must do nothing.
    const stops = [...overdue.map(({ key }) => key), 1, 2, 3].map((jobKey) => ({ jobKey, incident }))
    expect(await stopJobs(real.store, stops, now)).toEqual(stops.map((stop) => world.model.stop(stop, now)))
  }),
)

const renew = fc.constantFrom('w#1', 'w#2', 'ghost').map((workerId) =>
  command(`renew ${workerId}`, async ({ model }, { store, clock }) => {
    const until = clock.now() + 8_000
    expect((await store.renew([workerId], until, clock.now())).held).toEqual(model.renew(workerId, until))
  }),
)

const resolve = fc
  .record({
    pick: fc.nat(),
    verb: fc.constantFrom<ResolutionVerb>(
      'resolve',
      'resolve',
      'retry',
      'dlq_retry',
      'cancel',
      'discard',
      'update',
    ),
    retries: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
  })
  .map(({ pick, verb, retries }) =>
    command(
      `${verb} ${pick}${retries === undefined ? '' : ` with ${retries}`}`,
      async ({ model }, { store, clock }) => {
        const keys = [...model.jobs.keys(), 999]
        const resolution = {
          jobKey: keys[pick % keys.length] ?? 0,
          verb,
          who: 'ada',
          reason: null,
          ...(retries === undefined ? {} : { retries }),
        }
        const [applied] = await resolveJobs(store, [resolution], clock.now())
        expect(applied?.status).toBe(model.resolve(resolution, clock.now()))
      },
    ),
  )

const pass = fc
  .constantFrom(1, 500, 1_000, 9_000, 80_000)
  .map((ms) => command(`${ms} ms pass`, (_world, { clock }) => clock.advance(ms)))

const prune = fc.constant(null).map(() =>
  command('prune', async ({ model }, { store, clock }) => {
    const now = clock.now()
    let jobs = 0
    for (let more = true; more; ) {
      const pruned = await store.prune(
        { finishedMs: 50_000, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null },
        now,
      )
      jobs += pruned.jobs
      more = pruned.more
    }
    expect(jobs).toBe(model.prune(now - 50_000))
  }),
)

const resume = fc.constantFrom('t', 'u').map((type) =>
  command(`resume ${type}`, async ({ model }, { store, clock }) => {
    expect(await pauseTypes(store, [type], { paused: false, reason: null, who: 'ada' }, clock.now())).toEqual(
      model.resume(type, clock.now()) ? [type] : [],
    )
  }),
)

async function newWorld(store: Store, now: number): Promise<World> {
  const model = new StoreModel()
  for (const id of ['w#1', 'w#2']) {
    model.leases.set(id, now + 8_000)
    const standing = {
      label: id,
      pid: 1,
      host: 'h',
      startedAt: now,
      state: 'running' as const,
      concurrency: 1,
      types: ['t'],
      quarantine: false,
    }
    await registerWorkers(store, [{ id, leaseUntil: now + 8_000, ...standing }], now)
  }
  return { model, attempts: [], reached: new Map(), ended: new Set() }
}

describe('the store and its model', () => {
  it('agree on every result and every row, whatever is done in whatever order', async () => {
    const commands = fc.commands(
      [
        enqueue,
        enqueue,
        enqueue,
        claim,
        claim,
        report,
        report,
        report,
        sweep,
        renew,
        resolve,
        resolve,
        pass,
        pass,
        prune,
        resume,
      ],
      {
        maxCommands: 120,
        size: '+1',
      },
    )
    await fc.assert(
      fc.asyncProperty(commands, fc.integer(), async (list, seed) => {
        const opened = await openScene(':memory:')
        const world = await newWorld(opened.store, opened.clock.now())
        await fc.asyncModelRun(
          () => ({ model: world, real: { ...opened, random: seededRandom(seed) } }),
          list,
        )
        await opened.store.close()
      }),
      { numRuns: repeats(80, 1_000) },
    )
  }, 600_000)
})
