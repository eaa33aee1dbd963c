import { long } from '../support/long.ts'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { newJob } from '../../src/domain/new-job.ts'
import { claimRequest, sceneOn, settlementOf } from '../support/store-scene.ts'
import { dbOf, openScene, ownFile } from '../support/store-sqlite.ts'

const hour = 3_600_000
const canCountReads = existsSync('/proc/self/io')
const policy = { finishedMs: hour, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null }

async function openBig() {
  const path = ownFile()
  const scene = sceneOn(await openScene(path))
  const db = dbOf(scene.store)
  db.pragma('synchronous = OFF') // speed of the test only
  const number = (pragma: string) => db.pragma(pragma, { simple: true }) as number
  const runMany = async (count: number, variables: object) => {
    const { store, now } = scene
    for (let done = 0; done < count; done += 500) {
      const jobs = Array.from({ length: 500 }, () => newJob({ type: 't', variables }, now()))
      await store.enqueue(jobs, now())
      const { claimed } = await store.exchange(
        { settlements: [], claim: claimRequest({ limit: 500 }) },
        now(),
      )
      const settlements = claimed.map((job) =>
        settlementOf(job, { kind: 'success', result: '{"ok":true}' }, now()),
      )
      await store.exchange({ settlements }, now())
    }
  }
  const pruneAll = async () => {
    let jobs = 0
    for (let more = true; more; ) {
      const pruned = await scene.store.prune(policy, scene.now())
      jobs += pruned.jobs
      more = pruned.more
    }
    return jobs
  }
  return { ...scene, path, db, number, runMany, pruneAll }
}

describe('a store that has done much', () => {
  // B071
  it('stays as big as what it keeps: pruned pages are used again, and far too many go back to the file system', async () => {
    const { runMany, pruneAll, clock, number, path, faults, db } = await openBig()
    const each = long ? 100_000 : 4_000
    const variables = { pad: 'x'.repeat(4_000) }
    await runMany(each, variables)
    const full = number('page_count')
    for (let round = 0; round < 3; round++) {
      await clock.advance(2 * hour)
      expect(await pruneAll()).toBe(each)
      await runMany(each, variables)
    }
    expect(number('page_count')).toBeLessThan(full * 1.1)
    await clock.advance(2 * hour)
    await pruneAll()
    for (let step = 0; step < 100; step++) await pruneAll()
    expect(number('page_count')).toBeLessThan(full * 0.6)
    db.pragma('wal_checkpoint(TRUNCATE)')
    expect(statSync(path).size).toBe(number('page_count') * number('page_size'))
    expect(faults()).toEqual([])
  }, 600_000)

  // B072
  it.skipIf(!canCountReads)(
    'shows pages of a big backlog, and claims from it, without reading it all',
    async () => {
      const { store, claim, now, db, path } = await openBig()
      const count = long ? 2_000_000 : 120_000
      const jobs = Array.from({ length: 1_000 }, (_, index) =>
        newJob({ type: `t${index % 7}`, priority: index % 3, delay: index % 2 ? '1h' : 0 }, now()),
      )
      for (let done = 0; done < count; done += jobs.length) await store.enqueue(jobs, now())
      db.pragma('wal_checkpoint(TRUNCATE)')
      // With hardly a page cache, what is read from the file is what the statements walk over.
      db.pragma('cache_size = 10')
      const size = statSync(path).size
      // A list counts at most 20,000 index entries a state to choose its plan, one or two megabytes, however big the store is.
      const mayRead = 2_500_000
      expect(size).toBeGreaterThan(4 * mayRead)
      const states = ['waiting', 'available'] as const
      for (const selector of [
        {},
        { states: [states[0]] },
        { states: [states[1]], types: ['t3'] },
        { states },
      ]) {
        const before = bytesRead()
        const first = await store.jobs(selector, { limit: 50 })
        const second = await store.jobs(selector, { limit: 50, cursor: first.next ?? '' })
        expect(bytesRead() - before, `bytes read for ${JSON.stringify(selector)}`).toBeLessThan(mayRead)
        expect(first.items).toHaveLength(50)
        expect(first.items.map(({ key }) => key).concat(second.items.map(({ key }) => key))).toEqual(
          [...first.items, ...second.items].map(({ key }) => key).sort((a, b) => b - a),
        )
      }
      expect(await store.counts()).toMatchObject({ available: count / 2, waiting: count / 2 })
      const before = bytesRead()
      expect(await claim({ type: 't4', limit: 10 })).toHaveLength(10)
      expect(bytesRead() - before, 'bytes read for a claim').toBeLessThan(200_000)
    },
    600_000,
  )

  // B072
  it('makes few of many due jobs available in one claim, 500 at most, and all of them in the end', async () => {
    const { store, claim, clock, now } = await openBig()
    const jobs = Array.from({ length: 2_000 }, () => newJob({ type: 't', delay: 1_000 }, now()))
    await store.enqueue(jobs, now())
    await clock.advance(1_000)
    expect(await claim({ limit: 10 })).toHaveLength(10)
    expect(await store.counts()).toMatchObject({ running: 10, available: 90, waiting: 1_900 })
    expect(await claim({ limit: 100 })).toHaveLength(100)
    expect(await store.counts()).toMatchObject({ running: 110, available: 490, waiting: 1_400 })
    let claimed = 110
    for (let rounds = 0; rounds < 300 && claimed < 2_000; rounds++)
      claimed += (await claim({ limit: 10 })).length
    expect(claimed).toBe(2_000)
  })

  // B081
  it('keeps its WAL small while a reader polls again and again', async () => {
    const written = async (autocheckpoint: boolean) => {
      const { runMany, store, path, db } = await openBig()
      if (!autocheckpoint) db.pragma('wal_autocheckpoint = 0')
      for (let round = 0; round < 40; round++) {
        await runMany(500, { pad: 'x'.repeat(1_000) })
        await store.jobs({}, { limit: 100 })
        await store.counts()
      }
      return statSync(`${path}-wal`).size
    }
    // What the log grows to when nothing is written back.
    const whole = await written(false)
    expect(await written(true)).toBeLessThan(whole / 4)
  })
})

/** Bytes that this process has read by system calls, from Linux's own count. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}
