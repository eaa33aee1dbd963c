import { retireWorkers, setWorkerState } from '../../support/plans.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WfError } from '../../../src/errors.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { seededRandom } from '../../../src/random.ts'
import type { Store } from '../../../src/store/port.ts'
import type { LeasedWorker } from '../../../src/worker/leases/renewals.ts'
import { createLeaseManager, type LeaseManager } from '../../../src/worker/leases/lease-manager.ts'
import { plainPolicy, testEngine, type TestEngine } from '../../support/test-engine.ts'

interface Kept extends TestEngine {
  leases: LeaseManager
  heard: string[]
  worker: LeasedWorker
  /** Makes renewals fail, or hang, until it is null. */
  trouble: { renew: 'fails' | 'hangs' | null; heal: () => void }
  /** What a look at the store rejects with. */
  gone: { error: WfError | null }
}

async function kept(): Promise<Kept> {
  const test = await testEngine()
  const { engine, clock, log } = test
  let heal = () => {}
  const trouble: Kept['trouble'] = { renew: null, heal: () => heal() }
  const store = Object.create(test.store) as Store
  const gone: Kept['gone'] = { error: null }
  store.version = async () => {
    if (gone.error) throw gone.error
    return test.store.version()
  }
  store.renew = async (...args) => {
    if (trouble.renew === 'fails') throw new Error('the store is locked')
    if (trouble.renew === 'hangs') {
      await new Promise<void>((resolve) => {
        heal = resolve
      })
    }
    return test.store.renew(...args)
  }
  const leases = createLeaseManager({
    engine: createEngine({ store, random: seededRandom(1), events: engine.events }),
    clock,
    log,
    lease: { leaseMs: 30_000, renewMs: 10_000 },
    upkeep: [],
    policies: new Map([['mail', plainPolicy]]),
    onDrain: () => heard.push('drain'),
    onLost: ({ code }) => heard.push(`lost ${code}`),
  })
  const heard: string[] = []
  const row = {
    id: 'w#1',
    label: 'w',
    pid: 1,
    host: 'test',
    startedAt: clock.now(),
    concurrency: 10,
    types: ['mail'],
    quarantine: false,
  }
  const worker: LeasedWorker = {
    row,
    held: (attempts) => heard.push(`held ${attempts.map(({ jobKey }) => jobKey).join(' ')}`.trim()),
    fence: () => heard.push('fence'),
  }
  leases.start()
  await clock.settle()
  await leases.register(worker)
  onTestFinished(async () => {
    trouble.renew = null
    heal()
    await leases.stop()
  })
  return { ...test, leases, heard, worker, trouble, gone }
}

describe('the keeper of leases', () => {
  it('renews every ten seconds and tells what is held', async () => {
    const { add, claim, clock, heard, store } = await kept()
    const key = await add()
    await claim()
    await clock.advance(20_000)
    expect(heard).toEqual([`held ${key}`, `held ${key}`])
    expect((await store.workers(clock.now()))[0]?.leaseUntil).toBe(clock.now() + 30_000)
  })

  it('hears once that a person asked for its workers to drain, and not of a drain of its own', async () => {
    const { clock, heard, store } = await kept()
    await setWorkerState(store, ['w#1'], { state: 'draining' }, clock.now())
    await clock.advance(30_000)
    expect(heard.filter((word) => word === 'drain')).toEqual(['drain'])
    const own = await kept()
    await own.leases.draining()
    await own.clock.advance(30_000)
    expect(own.heard).not.toContain('drain')
  })

  // B077
  it('tries again when a renewal fails, says so once, counts, and works on when it goes again', async () => {
    const { clock, heard, leases, log, trouble } = await kept()
    trouble.renew = 'fails'
    await clock.advance(20_000)
    expect(leases.renewalFailures).toBeGreaterThanOrEqual(9)
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    expect(heard).toEqual([])
    trouble.renew = null
    await clock.advance(1000)
    expect(heard).toEqual(['held'])
    expect(log.lines.filter(({ message }) => /again$/.test(message))).toHaveLength(1)
  })

  it.each(['fails', 'hangs'] as const)(
    // B077
    'when every renewal %s for a whole lease it fences the workers, and gives back what they held as soon as it can',
    async (how) => {
      const { add, claim, clock, detail, heard, trouble } = await kept()
      const key = await add()
      await claim()
      await clock.advance(9000)
      trouble.renew = how
      await clock.advance(32_000)
      expect(heard).toEqual(['fence'])
      trouble.renew = null
      trouble.heal()
      await clock.advance(1000)
      expect(heard).toEqual(['fence', 'held'])
      expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 1, retries: 3 })
    },
  )

  // A08
  it('makes the row of a living worker again when somebody took it away', async () => {
    const { clock, store, worker, heard } = await kept()
    await retireWorkers(store, [worker.row.id], clock.now())
    await clock.advance(10_000)
    expect((await store.workers(clock.now())).map(({ id }) => id)).toEqual(['w#1'])
    expect(heard).toEqual(['held'])
  })

  it('does not renew for one that is forgotten, and takes the row of a retired one away', async () => {
    const { clock, store, leases, heard } = await kept()
    leases.forget('w#1')
    const before = (await store.workers(clock.now()))[0]?.leaseUntil
    await clock.advance(20_000)
    expect((await store.workers(clock.now()))[0]?.leaseUntil).toBe(before)
    expect(heard).toEqual([])
    await leases.retire('w#1')
    expect(await store.workers(clock.now())).toEqual([])
  })

  // B046
  it('goes on renewing while the rows are marked as draining', async () => {
    const { clock, store, leases } = await kept()
    await leases.draining()
    await clock.advance(60_000)
    const [row] = await store.workers(clock.now())
    expect(row?.state).toBe('draining')
    expect(row?.leaseUntil).toBeGreaterThan(clock.now())
  })

  it('fences at once when the store is lost, says so once, and tells whoever keeps it alive', async () => {
    const { clock, heard, log, gone } = await kept()
    await clock.advance(15_000)
    heard.length = 0
    gone.error = new WfError('store_replaced', 'the store was replaced', { hint: 'Stop everything.' })
    await clock.advance(1_000)
    expect(heard).toEqual(['fence', 'lost store_replaced'])
    expect(log.lines.filter(({ message }) => message.includes('replaced'))).toMatchObject([
      { level: 'error', fields: { hint: 'Stop everything.' } },
    ])
    await clock.advance(2_000)
    expect(heard).toEqual(['fence', 'lost store_replaced'])
  })
})
