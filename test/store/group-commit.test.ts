import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WfError } from '../../src/errors.ts'
import { seededRandom } from '../../src/random.ts'
import { GroupCommit, type Work } from '../../src/store/sqlite/file/group-commit.ts'
import type { LogSync, Synced } from '../../src/store/sqlite/file/wal-fsync.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { ownFile } from '../support/store-sqlite.ts'

function bench({
  lockTimeoutMs = null as number | null,
  guard = () => {},
  inPlace = () => {},
  log = null as Pick<LogSync, 'sync'> | null,
} = {}) {
  const path = ownFile()
  const db = new Database(path, { timeout: 0 })
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE n (v INTEGER CHECK (v < 100))')
  const outsider = new Database(path, { timeout: 0 })
  const clock = createFakeClock()
  const commits: number[] = []
  const group = new GroupCommit({
    db,
    wait: { clock, random: seededRandom(1), lockTimeoutMs, location: path },
    guard,
    inPlace,
    committed: () => commits.push(stored().length),
    log,
  })
  const stored = () => outsider.prepare<[], number>('SELECT v FROM n ORDER BY rowid').pluck().all()
  const insert = (value: number) => db.prepare('INSERT INTO n VALUES (?)').run(value)
  const work = (value: number, more: Partial<Work<number>> = {}): Work<number> => ({
    ...{ weight: 1, byWorker: false },
    run() {
      insert(value)
      return value
    },
    ...more,
  })
  onTestFinished(() => {
    db.close()
    outsider.close()
  })
  return { db, outsider, clock, commits, group, stored, work, insert }
}

describe('a group commit', () => {
  it('puts all writes of a tick into one transaction and answers after its commit', async () => {
    const { group, work, commits, stored } = bench()
    const seen: number[][] = []
    const answers = [1, 2, 3].map(async (value) => {
      const answer = await group.run(work(value))
      seen.push(stored())
      return answer
    })
    expect(stored()).toEqual([])
    expect(await Promise.all(answers)).toEqual([1, 2, 3])
    expect(commits).toEqual([3])
    expect(seen).toEqual(Array.from({ length: 3 }, () => [1, 2, 3]))
  })

  it('takes at most 64 jobs at once and lets timers and signals run between two transactions', async () => {
    const { group, work, commits } = bench()
    const turns: number[] = []
    const count = () => {
      turns.push(commits.length)
      if (commits.length < 3) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(Array.from({ length: 130 }, (_, index) => group.run(work(index % 100))))
    expect(commits).toEqual([64, 128, 130])
    expect(turns).toEqual(expect.arrayContaining([1, 2]))
  })

  it('never splits one piece of work, however heavy it is', async () => {
    const { group, work, commits } = bench()
    await Promise.all([group.run(work(1)), group.run(work(2, { weight: 1_000 })), group.run(work(3))])
    expect(commits).toEqual([1, 2, 3])
  })

  it('ends a transaction after 5 ms of work, so that others get the lock', async () => {
    const { group, work, commits, clock, insert } = bench()
    const slow = work(0, {
      run() {
        insert(7)
        clock.block(3)
        return 7
      },
    })
    await Promise.all(Array.from({ length: 5 }, () => group.run(slow)))
    expect(commits).toEqual([2, 4, 5])
  })

  // A34
  it('rejects only the piece that breaks a rule, and does the others', async () => {
    const { group, work, stored } = bench()
    const answers = await Promise.allSettled([1, 100, 2].map((value) => group.run(work(value))))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_CHECK' } })
    expect(stored()).toEqual([1, 2])
  })

  it('runs a piece again with care, from its start, when a neighbour spoilt the first try', async () => {
    const { group, work, stored, insert } = bench()
    const tries: boolean[] = []
    const good = group.run<string>({
      ...{ weight: 1, byWorker: false },
      run(careful) {
        tries.push(careful)
        insert(1)
        return 'done'
      },
    })
    await expect(group.run(work(100))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_CHECK' })
    expect(await good).toBe('done')
    expect(tries).toEqual([false, true])
    expect(stored()).toEqual([1])
  })

  it('keeps a fault of the program to the piece that has it, and nothing of that piece', async () => {
    const { group, work, stored, insert } = bench()
    const broken = group.run(
      work(0, {
        run() {
          insert(5)
          throw new TypeError('a bug')
        },
      }),
    )
    const good = group.run(work(6))
    await expect(broken).rejects.toThrow('a bug')
    expect([await good, stored()]).toEqual([6, [6]])
  })

  // A38
  it('rejects with a coded error when the store is full, loses nothing acknowledged, and goes on when there is space', async () => {
    const { db, group, work, stored } = bench()
    await group.run(work(1))
    db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
    const big = work(2, {
      run: () =>
        db.prepare('INSERT INTO n SELECT 1 FROM json_each(?)').run(JSON.stringify(new Array(5_000).fill(0)))
          .changes,
    })
    const rejected = await Promise.allSettled([group.run(big), group.run(big)])
    expect(rejected.map((answer) => answer.status === 'rejected' && (answer.reason as WfError).code)).toEqual(
      ['store_full', 'store_full'],
    )
    expect(stored()).toEqual([1])
    db.pragma('max_page_count = 1000000')
    expect(await group.run(work(3))).toBe(3)
    expect(stored()).toEqual([1, 3])
  })

  it('refuses everything once its guard has refused', async () => {
    const guard = vi.fn(() => {
      throw new WfError('schema_newer', 'newer')
    })
    const { group, work, stored } = bench({ guard })
    const answers = await Promise.allSettled([group.run(work(1)), group.run(work(2))])
    expect(answers.map((answer) => answer.status === 'rejected' && (answer.reason as WfError).code)).toEqual([
      'schema_newer',
      'schema_newer',
    ])
    expect(stored()).toEqual([])
  })

  // B080
  it('waits for a lock on timers of 1 to 4 ms, 25 ms after 250 tries, and does everything when it is free', async () => {
    const { group, work, outsider, clock, commits } = bench()
    outsider.exec('BEGIN IMMEDIATE')
    const answers = [group.run(work(1, { byWorker: true })), group.run(work(2, { byWorker: true }))]
    await clock.advance(60_000)
    expect(commits).toEqual([])
    expect(clock.pendingTimers).toBe(1)
    outsider.exec('COMMIT')
    await clock.advance(25)
    expect(await Promise.all(answers)).toEqual([1, 2])
    expect(commits).toEqual([2])
  })

  it('tries at every turn for the first 2 ms with the short work of producers and keepers, so that it slips in between a busy worker', async () => {
    const { group, work, outsider, clock, commits } = bench()
    outsider.exec('BEGIN IMMEDIATE')
    const first = group.run(work(1))
    await clock.settle()
    expect(clock.pendingTimers).toBe(0)
    outsider.exec('COMMIT')
    await first
    outsider.exec('BEGIN IMMEDIATE')
    const second = group.run(work(2))
    await clock.settle()
    await clock.advance(2)
    await clock.settle()
    expect([clock.pendingTimers, commits]).toEqual([1, [1]])
    outsider.exec('COMMIT')
    await clock.advance(4)
    expect(await second).toBe(2)
  })

  it('gives up on a lock after the time it was given, and works again afterwards', async () => {
    const { group, work, outsider, clock, stored } = bench({ lockTimeoutMs: 1_000 })
    outsider.exec('BEGIN IMMEDIATE')
    const refused = group.run(work(1)).catch((error: WfError) => error.code)
    await clock.advance(999)
    const later = group.run(work(2))
    await clock.advance(25)
    expect(await refused).toBe('store_locked')
    outsider.exec('COMMIT')
    await clock.advance(25)
    expect([await later, stored()]).toEqual([2, [2]])
  })

  it('leaves the lock alone for a third of its last transaction, 4 ms at most, while others want it', async () => {
    const { group, work, outsider, clock, commits, insert } = bench()
    const lasting = (value: number, ms: number) =>
      work(value, {
        byWorker: true,
        run() {
          insert(value)
          clock.block(ms)
          return value
        },
      })
    outsider.exec('BEGIN IMMEDIATE')
    const first = group.run(lasting(1, 6))
    await clock.settle()
    outsider.exec('COMMIT')
    await clock.advance(1)
    await first
    const second = group.run(lasting(2, 60))
    await clock.settle()
    expect(commits).toEqual([1])
    await clock.advance(2)
    await second
    const third = group.run(lasting(3, 0))
    await clock.advance(3)
    expect(commits).toEqual([1, 2])
    await clock.advance(1)
    await third
    await clock.advance(1_000)
    await group.run(lasting(4, 60))
    await group.run(lasting(5, 0))
    expect(commits).toEqual([1, 2, 3, 4, 5])
  })

  it('finishes what was handed in before it closes, and takes nothing afterwards', async () => {
    const { group, work, stored } = bench()
    const answer = group.run(work(1))
    await group.close()
    expect([await answer, stored()]).toEqual([1, [1]])
    await expect(group.run(work(2))).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  // B053
  it('closes in bounded time although another process never lets go of the lock', async () => {
    const { group, work, outsider, clock } = bench()
    outsider.exec('BEGIN IMMEDIATE')
    const answer = group.run(work(1)).catch((error: WfError) => error.code)
    await clock.settle()
    const closed = group.close()
    await clock.advance(5_100)
    await closed
    expect(await answer).toBe('store_locked')
    expect(clock.pendingTimers).toBe(0)
  })
})

/** A disk whose syncs end when the test says so. */
function slowLog() {
  const waiting: Synced[] = []
  return {
    waiting,
    sync: (synced: Synced) => void waiting.push(synced),
    end: (error: Error | null = null) => waiting.shift()?.(error),
  }
}

describe('a group commit on a log that it syncs', () => {
  // B091
  it('answers when the commit is on disk, while others can see it already', async () => {
    const log = slowLog()
    const { group, work, stored, clock } = bench({ log })
    let answered = false
    const answer = group.run(work(1)).then((value) => {
      answered = true
      return value
    })
    await clock.settle()
    expect([stored(), answered, log.waiting.length]).toEqual([[1], false, 1])
    log.end()
    expect(await answer).toBe(1)
  })

  it('commits on while a sync is under way, and puts all that came meanwhile into the next', async () => {
    const log = slowLog()
    const { group, work, stored, clock } = bench({ log })
    const first = group.run(work(1))
    await clock.settle()
    const second = group.run(work(2))
    await clock.settle()
    const third = group.run(work(3))
    await clock.settle()
    expect([stored(), log.waiting.length]).toEqual([[1, 2, 3], 1])
    log.end()
    expect([await first, log.waiting.length]).toEqual([1, 1])
    log.end()
    expect([await second, await third, log.waiting.length]).toEqual([2, 3, 0])
  })

  // B093
  it('acknowledges nothing after a sync that failed, and says of what was committed that nobody knows', async () => {
    const log = slowLog()
    const { group, work, stored, clock } = bench({ log })
    const wordsOf = ({ code, message, hint }: WfError) => `${code}: ${message}. ${hint}`
    const first = group.run(work(1)).catch(wordsOf)
    await clock.settle()
    const second = group.run(work(2)).catch(wordsOf)
    await clock.settle()
    const third = group.run(work(3)).catch(wordsOf)
    const looked = group.flushed().catch(wordsOf)
    log.end(new Error('EIO: i/o error, fdatasync'))
    for (const answer of [await first, await second]) {
      expect(answer).toMatch(
        /^outcome_unknown: nobody knows whether this was stored: .*EIO: i\/o error, fdatasync.*idempotency key/,
      )
    }
    // It was never committed, and never will be.
    for (const answer of [
      await third,
      await looked,
      await group.run(work(4)).catch(wordsOf),
      await group.flushed().catch(wordsOf),
    ]) {
      expect(answer).toMatch(/^store_corrupt: the disk failed to keep .*EIO/)
      expect(answer).not.toContain('nobody knows')
    }
    await clock.settle()
    expect([log.waiting.length, stored()]).toEqual([0, [1, 2]])
    expect(() => group.check()).toThrow('EIO')
    await group.close()
  })

  it('answers in the order of the commits', async () => {
    const log = slowLog()
    const { group, work, clock } = bench({ log })
    const answered: unknown[] = []
    for (let value = 1; value <= 3; value++) {
      void group.run(work(value)).then((told) => answered.push(told))
      void group.run(work(value * 10)).then((told) => answered.push(told))
      await clock.settle()
    }
    log.end()
    await clock.settle()
    expect(answered).toEqual([1, 10])
    log.end()
    await clock.settle()
    expect(answered).toEqual([1, 10, 2, 20, 3, 30])
  })

  it('syncs before it tells a refusal too: that may rest on what another process has committed', async () => {
    const log = slowLog()
    const { group, work, clock } = bench({ log })
    const refused = group.run({
      ...work(1),
      run: () => {
        throw new WfError('conflict', 'no')
      },
    })
    let told: unknown = null
    refused.catch((error: unknown) => {
      told = error
    })
    const taken = group.run(work(2))
    await clock.settle()
    expect([told, log.waiting.length]).toEqual([null, 1])
    log.end()
    await clock.settle()
    expect(told).toMatchObject({ code: 'conflict' })
    log.end()
    expect(await taken).toBe(2)
  })

  it('flushes what others have committed, for whoever builds on what he read: once for all who ask together', async () => {
    const log = slowLog()
    const { group, clock } = bench({ log })
    const flushed = Promise.all([group.flushed(), group.flushed(), group.flushed()])
    await clock.settle()
    expect(log.waiting.length).toBe(1)
    log.end()
    await flushed
    expect(log.waiting.length).toBe(0)
    await bench().group.flushed()
  })

  it('a flush that was asked for while a sync is under way is answered by the next one', async () => {
    const log = slowLog()
    const { group, work, clock } = bench({ log })
    const answer = group.run(work(1))
    await clock.settle()
    let flushed = false
    const flush = group.flushed().then(() => {
      flushed = true
    })
    await clock.settle()
    log.end()
    await answer
    await clock.settle()
    expect([flushed, log.waiting.length]).toEqual([false, 1])
    log.end()
    await flush
  })

  it('closes after a flush that was asked for just before', async () => {
    const log = slowLog()
    const { group, clock } = bench({ log })
    const flush = group.flushed()
    let closed = false
    const closing = group.close().then(() => {
      closed = true
    })
    await clock.settle()
    expect([closed, log.waiting.length]).toEqual([false, 1])
    log.end()
    await Promise.all([flush, closing])
  })

  it('closes when what was committed is on disk', async () => {
    const log = slowLog()
    const { group, work, clock } = bench({ log })
    const answer = group.run(work(1))
    let closed = false
    const closing = group.close().then(() => {
      closed = true
    })
    await clock.settle()
    expect(closed).toBe(false)
    log.end()
    await closing
    expect(await answer).toBe(1)
    await expect(group.flushed()).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})
