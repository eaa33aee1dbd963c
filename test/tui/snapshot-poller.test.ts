import { describe, expect, it } from 'vitest'
import { atTop } from '../../src/tui/page-window.ts'
import { readFirst } from '../../src/tui/read-snapshot.ts'
import { sourceOf } from '../../src/tui/source.ts'
import type { Query, Snapshot } from '../../src/tui/snapshot.ts'
import { startSnapshotPoller } from '../../src/tui/snapshot-poller.ts'
import { testEngine } from '../support/test-engine.ts'

const overview: Query = {
  list: 'overview',
  cause: null,
  selector: {},
  place: atTop.place,
  limit: 50,
  cutRows: 50,
  detail: null,
}
const jobs: Query = { ...overview, list: 'jobs' }

async function looking({ slowMs = 0 } = {}) {
  const made = await testEngine({ file: true })
  const { store, clock } = made
  const reader = { ...store }
  const calls = { version: 0, types: 0, now: 0, most: 0, failing: false }
  // Another connection has changed something whenever a test says so: this one cannot see its own changes.
  let version = 1
  const slow = async <T>(answer: () => Promise<T>): Promise<T> => {
    calls.now += 1
    calls.most = Math.max(calls.most, calls.now)
    if (slowMs > 0) await clock.sleep(slowMs)
    calls.now -= 1
    if (calls.failing) throw new Error('the disk is gone')
    return answer()
  }
  reader.version = () => {
    calls.version += 1
    return slow(async () => version)
  }
  reader.types = (now) => {
    calls.types += 1
    return slow(() => store.types(now))
  }
  const seen: Snapshot[] = []
  const failures: string[] = []
  const wanted = { query: overview as Query | null }
  const snapshots = startSnapshotPoller({
    source: sourceOf(reader, clock),
    clock,
    refreshMs: 1_000,
    query: () => wanted.query,
    onRead: (snapshot) => void seen.push(snapshot),
    onSame: () => undefined,
    onFailure: (error) => void failures.push(String(error)),
  })
  await clock.settle()
  const change = () => {
    version += 1
  }
  return { ...made, snapshots, seen, failures, calls, wanted, change }
}

describe('reading for the screen', () => {
  // B131
  it('reads once, and again only when something in the store has changed', async () => {
    const { clock, seen, calls, change, snapshots } = await looking()
    expect(seen).toHaveLength(1)
    await clock.advance(10_000)
    expect([seen.length, calls.types]).toEqual([1, 1])
    change()
    await clock.advance(1_000)
    expect([seen.length, calls.types]).toEqual([2, 2])
    await snapshots.stop()
  })

  // B131
  it('never reads twice at the same time, however slow the disk and however many keys', async () => {
    const { clock, calls, change, snapshots, wanted, seen } = await looking({ slowMs: 100 })
    for (let round = 0; round < 50; round++) {
      change()
      wanted.query = round % 2 === 0 ? jobs : overview
      snapshots.poke()
      snapshots.poke()
      await clock.advance(30)
    }
    await clock.advance(3_000)
    expect(calls.most).toBe(1)
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.at(-1)?.query.list).toBe('overview')
    const ended = snapshots.stop()
    await clock.advance(1_000)
    await ended
  })

  // B131
  it('reads what is asked for at once, without counting again what was counted a moment ago', async () => {
    const { clock, calls, snapshots, wanted, seen } = await looking()
    wanted.query = jobs
    snapshots.poke()
    await clock.settle()
    await clock.settle()
    expect([seen.length, seen[1]?.query.list, calls.types]).toEqual([2, 'jobs', 1])
    await snapshots.stop()
  })

  it('shows what needs no count before the first count is made, once, and with what is counted after it', async () => {
    const { store, clock } = await testEngine()
    const source = sourceOf(store, clock)
    const [told, first]: [string[], Snapshot[]] = [[], []]
    let query = { ...overview, list: 'overview' as Query['list'] }
    const snapshots = startSnapshotPoller({
      ...{ source, clock, refreshMs: 1_000, query: () => query },
      onFirst: (snapshot) => void first.push(snapshot),
      onRead: ({ figures }) => void told.push(figures.counted ? 'counted' : 'not yet'),
      ...{ onSame: () => {}, onFailure: () => {} },
    })
    const read = async (count: number) => {
      while (told.length < count) await clock.settle()
    }
    await read(1)
    snapshots.poke({ anew: true })
    await read(2)
    expect([first.length, first[0]?.figures.counted, told]).toEqual([1, false, ['counted', 'counted']])
    await snapshots.stop()
    query = { ...query, list: 'jobs' }
    expect(await readFirst(source, query)).toBe(null)
  })

  // B131
  it('says that it cannot read, keeps trying, and reads again once it can', async () => {
    const { clock, calls, failures, seen, change, snapshots } = await looking()
    calls.failing = true
    change()
    await clock.advance(3_000)
    expect(failures.length).toBeGreaterThanOrEqual(2)
    expect(failures[0]).toContain('the disk is gone')
    calls.failing = false
    await clock.advance(1_000)
    expect(seen).toHaveLength(2)
    await snapshots.stop()
  })

  it('reads nothing while the screen is frozen', async () => {
    const { clock, calls, change, snapshots, wanted, seen } = await looking()
    const before = calls.version
    wanted.query = null
    change()
    await clock.advance(10_000)
    expect([seen.length, calls.version]).toEqual([1, before])
    await snapshots.stop()
  })

  // B131
  it('spends no more than a share of its time on counting', async () => {
    const { clock, calls, change, snapshots } = await looking({ slowMs: 200 })
    for (let second = 0; second < 20; second++) {
      change()
      await clock.advance(1_000)
    }
    // Once for the first frame; then 200 ms of counting in every 4 s.
    expect(calls.types).toBeLessThanOrEqual(7)
    const ended = snapshots.stop()
    await clock.advance(2_000)
    await ended
  })
})
