import { declareTypes } from '../support/plans.ts'
import Database from 'better-sqlite3'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calls } from '../support/calls.ts'
import { cli } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

/** Of a closed store, with a step that only a later wf knows. */
function newer(location: string): string {
  const path = join(temporaryDirectory(), 'newer.db')
  cpSync(location, path)
  const db = new Database(path)
  db.exec("INSERT INTO wf_migrations (version, name, applied_at) VALUES (999, 'from the future', 0)")
  db.close()
  return path
}

describe('exit codes', () => {
  // B084 B139
  it('of every command is 8 for a store of a newer wf, which gets no byte written', async () => {
    const made = join(temporaryDirectory(), 'wf.db')
    await cli(['enqueue', 'mail'], { store: made })
    const store = newer(made)
    const before = readFileSync(store)
    const scene = {
      location: store,
      failed: 1,
      dead: 1,
      completed: 1,
      waiting: 1,
      available: 1,
      running: 1,
      operation: 1,
    }
    // These two need no store, or make one.
    const waiting = Object.entries(calls).filter(([id]) => id !== 'completion' && id !== 'init')
    const walk = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [id, { works }] = next
        const end = await cli([...works(scene).filter((word) => word !== '--json'), '--json'], { store })
        expect([id, end.code, end.json()]).toMatchObject([id, 8, { error: { code: 'schema_newer' } }])
      }
    }
    await Promise.all([walk(), walk()])
    expect(readFileSync(store)).toEqual(before)
  })

  // B139
  it('are the documented ones, with and without --json', async () => {
    const { location, store, completed, raised, join: register } = await seededStore()
    const done = String(await completed())
    const [open = 0] = await raised()
    await declareTypes(
      store,
      [
        {
          type: 'full',
          timeoutMs: 1_000,
          concurrency: 1,
          retries: 3,
          backlogLimit: 1,
          onExhausted: 'incident',
        },
      ],
      store.now(),
    )
    await cli(['enqueue', 'full'], { store: location })
    await register('w#own', { host: hostname(), pid: process.pid, leaseMs: 600_000 })
    const noise = join(temporaryDirectory(), 'noise.db')
    writeFileSync(noise, 'not a database. '.repeat(1_000))
    const table: readonly (readonly [code: number, ...args: readonly string[]])[] = [
      [0, 'jobs', 'list'],
      [0, 'jobs', 'list', '--state', 'dead'],
      [0, 'incidents', 'resolve', '--type', 'nobody'],
      [2, 'jobs', 'list', '--limit', 'abc'],
      [2, 'jobs', 'list', '--nonsense'],
      [2, 'jobs', 'nonsense'],
      [2, 'nonsense'],
      [2, 'jobs', 'show'],
      [2, 'jobs', 'cancel', '--state', 'available'],
      [2, 'enqueue', 'mail', '{oops'],
      [2, 'enqueue', ' mail '],
      [3, 'jobs', 'list', '--store', '/nowhere/at/all.db'],
      [3, 'jobs', 'list', '--store', noise],
      [4, 'jobs', 'show', '4711'],
      [4, 'jobs', 'cancel', '4711'],
      [4, 'dlq', 'show', done],
      [4, 'workers', 'release', 'nobody'],
      [5, 'jobs', 'retry', done],
      [5, 'workers', 'release', 'w#own', '--dry-run'],
      [6, 'jobs', 'retry', done, String(open), '--dry-run'],
      [7, 'enqueue', 'slow', '--wait', '--timeout', '10ms'],
      [11, 'run-worker', './nowhere.ts'],
      [12, 'enqueue', 'full'],
    ]
    for (const [code, ...args] of table) {
      const where = args.includes('--store') ? {} : { store: location }
      const [words, json] = await Promise.all([cli(args, where), cli([...args, '--json'], where)])
      expect([args.join(' '), words.code, json.code]).toEqual([args.join(' '), code, code])
    }
  })
})
