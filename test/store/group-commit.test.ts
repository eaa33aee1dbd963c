import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WfError } from '../../src/domain/errors.ts'
import { seededRandom } from '../../src/random.ts'
import { GroupCommit, type Work } from '../../src/store/sqlite/group-commit.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { ownFile } from '../support/store-sqlite.ts'

function bench({ lockTimeoutMs = null as number | null, guard = () => {}, inPlace = () => {} } = {}) {
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

  it('A34 rejects only the piece that breaks a rule, and does the others', async () => {
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

  it('A38 rejects with a coded error when the store is full, loses nothing acknowledged, and goes on when there is space', async () => {
    const { db, group, work, stored } = bench()
    await group.run(work(1))
    db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
    const big = work(2, { run: () => db.prepare('INSERT INTO n SELECT 1 FROM json_each(?)').run(JSON.stringify(new Array(5_000).fill(0))).changes })
    const rejected = await Promise.allSettled([group.run(big), group.run(big)])
    expect(rejected.map((answer) => answer.status === 'rejected' && (answer.reason as WfError).code)).toEqual(['store_full', 'store_full'])
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
    expect(answers.map((answer) => answer.status === 'rejected' && (answer.reason as WfError).code)).toEqual(['schema_newer', 'schema_newer'])
    expect(stored()).toEqual([])
  })

  it('B080 waits for a lock on timers of 1 to 4 ms, 25 ms after 250 tries, and does everything when it is free', async () => {
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

  it('B053 closes in bounded time although another process never lets go of the lock', async () => {
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
