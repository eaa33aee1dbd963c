import { renameSync, unlinkSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WfError } from '../../../src/errors.ts'
import { untilLost } from '../../../src/worker/leases/store-watch.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { testEngine } from '../../support/test-engine.ts'

const missing = new WfError('store_missing', 'the store is gone')

/** Looks see what `state` is at that moment. */
function watching() {
  const clock = createFakeClock()
  const log = capturedLog()
  const ended = new AbortController()
  const seen: { state: Error | null; looks: number; lost: WfError | null | undefined } = {
    state: null,
    looks: 0,
    lost: undefined,
  }
  const version = async () => {
    seen.looks++
    if (seen.state) throw seen.state
    return 1
  }
  const watch = untilLost({ store: { version }, clock, log, ended: ended.signal }).then((lost) => {
    seen.lost = lost
  })
  onTestFinished(async () => {
    ended.abort()
    await watch
  })
  return { clock, log, seen, ended }
}

describe('a watch over the store', () => {
  it('says nothing while all is well, looks once a second, and ends when it is told to', async () => {
    const { clock, log, seen, ended } = watching()
    await clock.advance(60_000)
    expect(seen).toMatchObject({ looks: 61, lost: undefined })
    expect(log.lines).toEqual([])
    ended.abort()
    await clock.settle()
    expect(seen.lost).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })

  it.each(['store_replaced', 'store_corrupt', 'schema_newer'] as const)(
    'takes a store for lost at once that is %s',
    async (code) => {
      const { clock, seen } = watching()
      await clock.advance(10_000)
      const error = new WfError(code, 'it never comes back by itself')
      seen.state = error
      await clock.advance(1_000)
      expect(seen.lost).toBe(error)
    },
  )

  it('gives one that is missing five seconds, and says so once', async () => {
    const { clock, log, seen } = watching()
    seen.state = missing
    await clock.advance(5_999)
    expect(seen.lost).toBeUndefined()
    expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
    await clock.advance(1)
    expect(seen.lost).toBe(missing)
    expect(log.lines).toHaveLength(1)
  })

  it('begins to count anew when it was there in between', async () => {
    const { clock, log, seen } = watching()
    for (let time = 0; time < 3; time++) {
      seen.state = missing
      await clock.advance(4_000)
      seen.state = null
      await clock.advance(1_000)
    }
    expect(seen.lost).toBeUndefined()
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info', 'warn', 'info'])
  })

  it('leaves every other trouble to those who meet it', async () => {
    const { clock, log, seen } = watching()
    for (const state of [
      new WfError('store_locked', 'locked'),
      new WfError('store_full', 'full'),
      new Error('what'),
    ]) {
      seen.state = state
      await clock.advance(60_000)
    }
    expect(seen.lost).toBeUndefined()
    expect(log.lines).toEqual([])
  })

  it.each([
    ['deleted', 'store_missing', 7_000, (location: string) => unlinkSync(location)],
    [
      'replaced',
      'store_replaced',
      2_000,
      (location: string) => {
        const db = new Database(location)
        db.exec(`VACUUM INTO '${location}.backup'`)
        db.close()
        renameSync(`${location}.backup`, location)
      },
    ],
    [
      // B084
      'upgraded by a newer wf',
      'schema_newer',
      2_000,
      (location: string) => {
        const db = new Database(location)
        db.exec("CREATE TABLE wf_new (a); INSERT INTO wf_migrations SELECT 999, 'new', 0")
        db.close()
      },
    ],
  ] as const)('sees that a real one was %s', async (_, code, withinMs, change) => {
    const { store, clock, log, location } = await testEngine({ file: true })
    const ended = new AbortController()
    const lost = untilLost({ store, clock, log, ended: ended.signal })
    await clock.advance(3_000)
    change(location)
    await clock.advance(withinMs)
    ended.abort()
    expect(await lost).toMatchObject({ code })
  })
})
