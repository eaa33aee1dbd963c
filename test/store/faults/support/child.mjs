// A process of its own with a store in it, which does what its parent says, one task at a time; see child.ts.
import Database from 'better-sqlite3'
import { systemClock } from '../../../../dist/clock.js'
import { openWriter, setJournal } from '../../../../dist/store/sqlite/connection.js'
import { whileLocked } from '../../../../dist/store/sqlite/lock-wait.js'
import { migrate } from '../../../../dist/store/sqlite/migrate.js'
import { migrations } from '../../../../dist/store/sqlite/migrations.js'
import { openSqliteReader, openSqliteStore } from '../../../../dist/store/sqlite/open.js'
import { statementCount, tallyErrors, watchStatements } from './statements.mjs'

const random = Math.random
let store = null
let raw = null

const waitOf = (location, lockTimeoutMs = null) => ({ clock: systemClock, random, lockTimeoutMs, location })

const tasks = {
  async open({ reads = false, ...options }) {
    const defaults = { clock: systemClock, random, durability: 'power', create: true }
    store = await (reads ? openSqliteReader({ clock: systemClock, ...options }) : openSqliteStore({ ...defaults, ...options }))
    return store.info()
  },
  call: ({ method, args }) => store[method](...args),
  close: () => store.close(),
  /** Brings a file to the version of a registry: the released steps and `more`, each a piece of SQL. */
  async migrate({ path, more, killAt }) {
    const db = await whileLocked(waitOf(path), () => openWriter(path))
    await whileLocked(waitOf(path), () => setJournal(db, { durability: 'power', shared: true }))
    const steps = more.map(({ version, name, sql }) => ({ version, name, up: (step) => step.exec(sql) }))
    watchStatements({ killBefore: killAt })
    await migrate(db, waitOf(path), [...migrations, ...steps])
    db.close()
  },
  /** Counts statements from now on, and SIGKILLs before or after the n-th. */
  watch: (points) => watchStatements(points),
  count: () => statementCount(),
  /** Runs SQL on a connection that is not wf's. */
  sql({ path, sql, journal }) {
    raw ??= new Database(path, { timeout: 10_000 })
    if (journal) raw.pragma(`journal_mode = ${journal}`)
    raw.exec(sql)
  },
  /** Claims and settles for ever; says which keys were settled, and never waits for an answer. */
  work({ workerId, type, batch }) {
    const claim = { workerId, limit: batch, types: [{ type, limit: batch, timeoutMs: 60_000, retries: 3 }], suspects: false }
    const next = { state: 'completed', waitReason: null, runAt: 0, failures: 0, crashes: 0, deferrals: 0, deferringSince: null }
    const settlementOf = ({ key, attempt, retries, startedAt }) => ({
      fence: { jobKey: key, attempt, workerId },
      ...{ type, outcome: 'success', startedAt, attempt: null, incident: null, deadLetter: null, result: '1', children: [] },
      next: { ...next, retries, finishedAt: systemClock.now() },
    })
    const turn = async (held) => {
      const { claimed, settled } = await store.exchange({ settlements: held.map(settlementOf), claim }, systemClock.now())
      const done = held.filter((_, index) => settled[index] === 'applied').map(({ key }) => key)
      process.send({ settled: done, claimed: claimed.length })
      if (claimed.length > 0) await turn(claimed)
      else await new Promise(setImmediate).then(() => turn([]))
    }
    void turn([])
  },
  /** One read or write after another until the parent says `halt`; answers how many. */
  async until({ method, args }) {
    let count = 0
    for (halted = false; !halted; count++) {
      await store[method](...args)
      await new Promise(setImmediate)
    }
    return count
  },
  errors: () => tallyErrors(),
  halt() {
    halted = true
  },
}

let halted = false

process.on('message', async ({ id, task, args }) => {
  try {
    process.send({ id, value: await tasks[task](args ?? {}) })
  } catch (error) {
    const { name, code, message, hint } = error
    process.send({ id, error: { name, code, message, hint } })
  }
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
