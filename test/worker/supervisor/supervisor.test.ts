import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSizes } from '../../../src/domain/job.ts'
import {
  Supervisor,
  type SupervisorEnd,
  type SupervisorOptions,
} from '../../../src/worker/supervisor/supervisor.ts'
import { FakeChild } from '../../support/fake-children.ts'
import { testEngine, type TestEngine } from '../../support/test-engine.ts'

interface Supervised extends TestEngine {
  children: FakeChild[]
  supervisor: Supervisor
  end: Promise<SupervisorEnd | Error>
  last(): FakeChild
  /** Claims for a child, as its worker would. */
  claimFor(child: FakeChild, limit?: number): ReturnType<TestEngine['claim']>
}

const setup = {
  files: ['/h.ts'],
  types: [],
  concurrency: null,
  maxJobs: null,
  loadMs: 30_000,
  location: 'x',
  logLevel: 'info' as const,
  sizes: defaultSizes,
}

async function supervised(options: Partial<SupervisorOptions> = {}): Promise<Supervised> {
  const test = await testEngine()
  const { engine, clock, log } = test
  const children: FakeChild[] = []
  const fork = () => {
    const child = new FakeChild(children.length + 1)
    children.push(child)
    return child
  }
  const supervisor = new Supervisor({
    engine,
    clock,
    log,
    fork,
    label: 'w',
    host: 'test',
    setup,
    lease: { leaseMs: 30_000, renewMs: 10_000 },
    upkeep: [],
    processes: 1,
    graceMs: 30_000,
    hangMs: 10_000,
    isEmpty: null,
    patient: false,
    place: './wf.db',
    ...options,
  })
  const end = supervisor.run().catch((error: Error) => error)
  onTestFinished(async () => {
    supervisor.stopNow()
    await clock.advance(1500)
    for (const child of children) child.ends({})
    await clock.advance(1500)
    await end
  })
  const last = () => {
    const child = children.at(-1)
    if (!child) throw new Error('nothing was forked')
    return child
  }
  const claimFor: Supervised['claimFor'] = (child, limit = 10) =>
    test.claim({ workerId: child.workerId, limit, suspects: child.suspects, timeoutMs: 60_000 })
  await clock.settle()
  return { ...test, children, supervisor, end, last, claimFor }
}

/** One that has its child at work. */
async function working(options: Partial<SupervisorOptions> = {}): Promise<Supervised> {
  const run = await supervised(options)
  for (const child of run.children) child.loads()
  await run.clock.settle()
  return run
}

describe('the supervisor', () => {
  it('registers a worker before it may claim, and renews its lease while it lives', async () => {
    const { store, clock, children, last } = await supervised()
    expect(last().heard('go')).toEqual([])
    last().loads()
    await clock.settle()
    expect(last().heard('go')).toHaveLength(1)
    const [row] = await store.workers(clock.now())
    expect(row).toMatchObject({
      id: last().workerId,
      label: 'w',
      types: ['mail'],
      quarantine: false,
      state: 'running',
    })
    expect(row?.id).toMatch(/^w\.1#[0-9a-f]{8}$/)
    await clock.advance(60_000)
    expect((await store.workers(clock.now()))[0]?.leaseUntil).toBeGreaterThan(clock.now() + 15_000)
    expect(last().heard('held').length).toBeGreaterThanOrEqual(6)
    expect(children).toHaveLength(1)
  })

  // B065
  it('lets no child claim until all have loaded, and ends with the reason when one cannot', async () => {
    const { clock, children, end, store } = await supervised({ processes: 2 })
    const [first, second] = children
    first?.loads()
    await clock.settle()
    expect(first?.heard('go')).toEqual([])
    second?.say({ kind: 'load_failed', code: 'handler_load_failed', message: 'no', hint: '' })
    second?.ends({ code: 1 })
    await clock.advance(1000)
    expect(await end).toMatchObject({ code: 'handler_load_failed', message: 'no' })
    expect(first?.heard('go')).toEqual([])
    expect(first?.killed).toBe(true)
    expect(await store.workers(clock.now())).toEqual([])
  })

  it.each([
    ['ends the process', (child: FakeChild) => child.ends({ code: 0 })],
    ['never comes back', () => {}],
    // B065
  ])('says so when a module %s while it loads', async (_what, does) => {
    const { clock, end, last } = await supervised()
    does(last())
    await clock.advance(32_000)
    expect(await end).toMatchObject({ code: 'handler_load_failed' })
  })

  // B054
  it('starts another when one was killed from outside while it loaded, or while the others did', async () => {
    const { clock, children } = await supervised({ processes: 2 })
    children[0]?.ends({ signal: 'SIGKILL' })
    await clock.settle()
    expect(children).toHaveLength(3)
    children[2]?.loads()
    await clock.settle()
    children[2]?.ends({ signal: 'SIGKILL' })
    await clock.settle()
    children[1]?.loads()
    await clock.advance(250)
    expect(children[1]?.heard('go')).toHaveLength(1)
    expect(children).toHaveLength(4)
    children[3]?.loads()
    await clock.settle()
    expect(children[3]?.heard('go')).toHaveLength(1)
  })

  // A06
  it('settles the attempts of a child that died as lost at once, names them, and starts another', async () => {
    const { add, claimFor, detail, clock, children, last, log } = await working()
    const key = await add()
    await claimFor(last())
    last().ends({ signal: 'SIGKILL' })
    await clock.settle()
    expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 1, retries: 3 })
    expect((await detail(key)).attempts).toMatchObject([{ outcome: 'lost', attempt: 1 }])
    expect(
      log.lines.filter(({ message }) => message.includes(`mail #${key}`) && message.includes('SIGKILL')),
    ).toHaveLength(1)
    expect(children).toHaveLength(2)
    last().loads()
    await clock.settle()
    expect(last().heard('go')).toHaveLength(1)
  })

  // B054
  it('waits longer for each replacement, and gives up after five deaths without one settled job', async () => {
    const { clock, children, end, last } = await working()
    for (let death = 1; death <= 5; death++) {
      const before = children.length
      last().ends({ code: 1 })
      await clock.advance([0, 250, 500, 1000, 1000][death - 1] ?? 0)
      if (death === 5) break
      expect(children).toHaveLength(before + 1)
      last().loads()
      await clock.settle()
    }
    expect(await end).toMatchObject({ code: 'unexpected' })
    expect(children).toHaveLength(5)
  })

  // B054
  it('goes on for ever when jobs are settled between the deaths', async () => {
    const { clock, children, last } = await working()
    for (let death = 1; death <= 12; death++) {
      last().say({ kind: 'outcomes', counts: { completed: 1 } })
      last().ends({ signal: 'SIGKILL' })
      await clock.settle()
      last().loads()
      await clock.settle()
    }
    expect(children).toHaveLength(13)
  })

  // A05
  it('gives suspects to a child of their own, alone, and ends that child when none is left', async () => {
    const { add, clock, children, claimFor, detail, last } = await working()
    const key = await add()
    for (let death = 1; death <= 2; death++) {
      await clock.advance(1000)
      await claimFor(last())
      last().ends({ signal: 'SIGKILL' })
      await clock.settle()
      await clock.advance(250)
      last().loads()
      await clock.settle()
    }
    expect((await detail(key)).job).toMatchObject({ crashes: 2, state: 'waiting' })
    await clock.advance(2000)
    const quarantine = children.find(({ suspects }) => suspects)
    expect(quarantine?.told[0]).toMatchObject({ setup: { concurrency: 1, suspects: true } })
    quarantine?.loads()
    await clock.settle()
    await claimFor(quarantine as FakeChild)
    quarantine?.ends({ signal: 'SIGABRT' })
    await clock.advance(5000)
    expect((await detail(key)).incidents).toMatchObject([{ kind: 'crash_loop' }])
    expect(children.filter(({ suspects }) => suspects)).toHaveLength(1)
  })

  // A08
  it('kills a child that does not answer beyond the timeouts of all it runs; alone, the attempt is a timeout', async () => {
    const { add, clock, claimFor, detail, last, children } = await working()
    const key = await add()
    await claimFor(last())
    const child = last()
    child.answers = false
    await clock.advance(68_000)
    expect(child.killed).toBe(false)
    await clock.advance(8000)
    expect(child.killed).toBe(true)
    expect((await detail(key)).job).toMatchObject({
      state: 'waiting',
      waitReason: 'backoff',
      failures: 1,
      crashes: 0,
      retries: 2,
    })
    expect((await detail(key)).attempts).toMatchObject([{ outcome: 'fail', failureCategory: 'hung' }])
    expect(children).toHaveLength(2)
  })

  // A08
  it('does not give up because of a job that hangs again and again: each time is a settled timeout', async () => {
    const { add, clock, claimFor, last, children } = await supervised({ hangMs: 1000 })
    await add({ retries: 100 })
    for (let times = 1; times <= 6; times++) {
      last().loads(1000)
      await clock.advance(2 ** times * 500)
      expect(await claimFor(last())).toHaveLength(1)
      last().answers = false
      await clock.advance(4000)
      expect(children).toHaveLength(times + 1)
    }
  })

  // A08
  it('ends several attempts of a child that hung as lost', async () => {
    const { add, clock, claimFor, detail, last } = await working()
    const keys = [await add(), await add()]
    await claimFor(last())
    last().answers = false
    await clock.advance(76_000)
    for (const key of keys)
      expect((await detail(key)).job).toMatchObject({
        state: 'available',
        crashes: 1,
        failures: 0,
        retries: 3,
      })
  })

  // A08
  it('leaves a silent child alone while one of its jobs may still run, and one that answers for ever', async () => {
    const { add, clock, claimFor, last } = await working()
    await add()
    await claimFor(last())
    await clock.advance(600_000)
    expect(last().killed).toBe(false)
  })

  // B064
  it('says once of a child whose event loop is blocked what it runs, counts the time, and says when it answers again', async () => {
    const { add, clock, claimFor, last, log, engine } = await working()
    let countedS = 0
    engine.events.on('counted', ({ metric, labels, value }) => {
      if (metric === 'wf_worker_unresponsive_seconds_total') countedS += value
      expect(labels).toEqual({ worker: 'w.1' })
    })
    const words = () =>
      log.lines.map(({ message }) => message).filter((message) => message.includes('answer'))
    const key = await add()
    await claimFor(last())
    await clock.advance(5_000)
    expect([words(), countedS]).toEqual([[], 0])
    last().answers = false
    await clock.advance(20_000)
    expect(words()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^process 1 .* has not answered for 3 s: a handler blocks its event loop; it runs mail #${key}$`,
        ),
      ),
    ])
    expect(countedS).toBeGreaterThan(15)
    expect(countedS).toBeLessThanOrEqual(20)
    const soFar = countedS
    last().answers = true
    const ping = last().heard('ping').at(-1)
    if (ping?.kind === 'ping') last().say({ kind: 'pong', id: ping.id })
    await clock.advance(2_000)
    expect(words()).toEqual([
      expect.anything(),
      expect.stringMatching(/^process 1 .* answers again after 1\d s$/),
    ])
    expect(countedS).toBe(soFar)
    expect(last().killed).toBe(false)
    // Not again within the minute.
    last().answers = false
    await clock.advance(10_000)
    expect(words()).toHaveLength(2)
  })

  it('replaces a child that recycles itself, and not one that has had its number of jobs', async () => {
    const { clock, children, last, end } = await working({
      setup: { ...setup, maxJobs: 1 },
    })
    last().leaves('abandoned')
    await clock.settle()
    expect(children).toHaveLength(2)
    last().loads()
    await clock.settle()
    last().leaves('max_jobs')
    await clock.advance(1000)
    expect(children).toHaveLength(2)
    expect(await end).toMatchObject({ why: 'max_jobs', allReturned: true })
  })

  // A35
  it('drains: tells the children the times, renews leases on, and ends when they are gone', async () => {
    const { clock, supervisor, store, last, end } = await working()
    supervisor.drain()
    supervisor.drain()
    expect(last().heard('drain')).toEqual([{ kind: 'drain', graceMs: 30_000, abortInMs: 25_000 }])
    await clock.advance(20_000)
    const [row] = await store.workers(clock.now())
    expect(row?.state).toBe('draining')
    expect(row?.leaseUntil).toBeGreaterThan(clock.now() + 15_000)
    last().leaves('drained')
    await clock.advance(500)
    expect(await end).toMatchObject({ why: 'drained', allReturned: true })
    expect(await store.workers(clock.now())).toEqual([])
  })

  // B049
  it('kills what is still there half a second after the grace, and gives its jobs back without a cost', async () => {
    const { add, clock, claimFor, detail, supervisor, last, end } = await working({ graceMs: 4000 })
    const key = await add()
    await claimFor(last())
    supervisor.drain()
    await clock.advance(4400)
    expect(last().killed).toBe(false)
    await clock.advance(600)
    expect(last().killed).toBe(true)
    expect(await end).toMatchObject({ why: 'drained', allReturned: true })
    expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 0, failures: 0, retries: 3 })
  })

  // B050
  it('a second wish to stop ends everything within a second', async () => {
    const { add, clock, claimFor, detail, supervisor, last, end } = await working()
    const key = await add()
    await claimFor(last())
    supervisor.drain()
    supervisor.stopNow()
    expect(last().heard('stop')).toHaveLength(1)
    await clock.advance(1000)
    expect(await end).toMatchObject({ why: 'stopped' })
    expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 0 })
  })

  it('ends an --until-empty run when its question is answered with yes', async () => {
    let empty = false
    const { clock, last, end } = await working({ isEmpty: async (types) => types.includes('mail') && empty })
    await clock.advance(5000)
    expect(last().heard('drain')).toEqual([])
    empty = true
    await clock.advance(300)
    expect(last().heard('drain')).toHaveLength(1)
    last().leaves('drained')
    await clock.advance(500)
    expect(await end).toMatchObject({ why: 'empty' })
  })

  it('loads anew on a change: drains the children and starts others; one that cannot load waits for the next change', async () => {
    const { clock, children, supervisor, last, log } = await working({ patient: true })
    supervisor.reload()
    expect(last().heard('drain')).toHaveLength(1)
    last().leaves('drained')
    await clock.settle()
    expect(children).toHaveLength(2)
    last().say({ kind: 'load_failed', code: 'handler_load_failed', message: 'line 3: no', hint: '' })
    last().ends({ code: 1 })
    await clock.advance(60_000)
    expect(children).toHaveLength(2)
    expect(log.lines.some(({ level, message }) => level === 'error' && message.includes('line 3: no'))).toBe(
      true,
    )
    supervisor.reload()
    await clock.settle()
    expect(children).toHaveLength(3)
    // A further change while it loads.
    supervisor.reload()
    await clock.settle()
    expect(children).toHaveLength(4)
    expect(children[2]?.killed).toBe(true)
  })
})
