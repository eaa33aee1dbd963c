// A process of its own with a store in it, which does what its parent says, one task at a time; see child.ts.
import Database from 'better-sqlite3'
import { systemClock } from '../../../../src/clock.ts'
import { openWriter, setJournal } from '../../../../src/store/sqlite/file/connection.ts'
import { whileLocked } from '../../../../src/store/sqlite/file/lock-wait.ts'
import { migrate } from '../../../../src/store/sqlite/file/migrate.ts'
import { migrations } from '../../../../src/store/sqlite/file/migrations.ts'
import { openSqliteReader, openSqliteStore } from '../../../../src/store/sqlite/file/open.ts'
import { pauseTypes, registerWorkers, resolveJobs, retireWorkers, stopJobs } from '../../../support/plans.ts'
import { statementCount, tallyErrors, watchStatements } from './statements.mjs'

const random = Math.random
let store = null
let raw = null

const waitOf = (location, lockTimeoutMs = null) => ({ clock: systemClock, random, lockTimeoutMs, location })

const page = { limit: 100 }
const keys = Array.from({ length: 12 }, (_, index) => index + 1)

const questions = {
  info: (store) => store.info(),
  details: (store) => Promise.all(keys.map((key) => store.job(key))),
  jobs: (store) => store.jobs({ includeClosed: true }, page),
  'jobs by state': (store) => store.jobs({ states: ['failed', 'completed', 'waiting'], types: ['t'] }, page),
  incidents: (store) => store.incidents({ includeClosed: true }, page),
  'open incidents': (store) => store.incidents({}, page),
  'dead letters': (store) => store.deadLetters({ includeClosed: true }, page),
  'each dead letter': (store) => Promise.all(keys.map((key) => store.deadLetter(key))),
  workers: (store) => store.workers(1),
  types: (store) => store.types(1),
  counts: (store) => store.counts(),
  'due jobs': (store) => store.hasDue(['t'], false, systemClock.now()),
  'next due': (store) => store.nextDue(['t']),
  held: (store) => store.held('w#1'),
  running: (store) => store.running('w#1'),
  'expired leases': (store) => store.expiredLeases(systemClock.now(), 100),
  overdue: (store) => store.overdue(systemClock.now(), 100),
  stats: (store) => store.stats(0),
  counters: (store) => store.counters(),
  version: (store) => store.version(),
}

const claimOf = (workerId = 'w#1', type = 't', limit = 10) => ({
  ...{ workerId, limit, suspects: false },
  types: [{ type, limit, timeoutMs: 60_000, retries: 3 }],
})

const completionOf = ({ key, type, attempt, retries, startedAt }, workerId = 'w#1') => ({
  fence: { jobKey: key, attempt, workerId },
  ...{
    type,
    outcome: 'success',
    startedAt,
    attempt: null,
    incident: null,
    deadLetter: null,
    result: '1',
    children: [],
  },
  next: {
    ...{
      state: 'completed',
      waitReason: null,
      runAt: 0,
      retries,
      failures: 0,
      crashes: 0,
      deferrals: 0,
      deferringSince: null,
    },
    finishedAt: systemClock.now(),
  },
})

const jobOf = (type = 't') => ({
  ...{
    type,
    variables: '{"a":1}',
    priority: 0,
    runAt: 1,
    retries: 3,
    retriesGiven: false,
    deadlineAt: null,
    parentKey: null,
  },
  idempotency: null,
})

const changes = {
  enqueue: (store) => store.enqueue([jobOf(), jobOf('u')], systemClock.now()),
  settle: (store, claimed) =>
    store.exchange({ settlements: claimed.map((job) => completionOf(job)) }, systemClock.now()),
  renew: (store) => store.renew(['w#1'], systemClock.now() + 60_000, systemClock.now()),
  resolve: (store) =>
    resolveJobs(
      store,
      keys.map((jobKey) => ({ jobKey, verb: 'cancel', who: 'ada', reason: null })),
      systemClock.now(),
    ),
  pause: (store) => pauseTypes(store, ['t'], { paused: true, reason: null, who: 'ada' }, systemClock.now()),
  statistics: (store) => store.addStats([], [{ metric: 'm', labels: '{}', value: 1 }], [], systemClock.now()),
  prune: (store) =>
    store.prune(
      { finishedMs: 1, deadLettersMs: 1, idempotencyKeysMs: 1, statsMs: 1 },
      systemClock.now() + 1_000,
    ),
}

/** By the names of support/plans.ts. */
const plans = { registerWorkers, resolveJobs, retireWorkers, stopJobs }

const tasks = {
  async open({ reads = false, ...options }) {
    const defaults = { clock: systemClock, random, durability: 'power', create: true }
    store = await (reads
      ? openSqliteReader({ clock: systemClock, ...options })
      : openSqliteStore({ ...defaults, ...options }))
    return store.info()
  },
  /** Of the port, or of the engine's plans. */
  call: ({ method, args }) => (plans[method] ?? ((each, ...given) => each[method](...given)))(store, ...args),
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
    raw ??= new Database(path, { timeout: 120_000 })
    if (journal) raw.pragma(`journal_mode = ${journal}`)
    raw.exec(sql)
  },
  /** Claims and settles for ever; says which keys were settled, and never waits for an answer. */
  work({ workerId, type, batch }) {
    const claim = claimOf(workerId, type, batch)
    const turn = async (held) => {
      const { claimed, settled } = await store.exchange(
        { settlements: held.map((job) => completionOf(job, workerId)), claim },
        systemClock.now(),
      )
      const done = held.filter((_, index) => settled[index] === 'applied').map(({ key }) => key)
      process.send({ settled: done, claimed: claimed.length })
      if (claimed.length > 0) await turn(claimed)
      else await new Promise(setImmediate).then(() => turn([]))
    }
    void turn([])
  },
  /** Asks and does everything on a store that may be damaged; answers for each what it came to. */
  async probe({ path }) {
    const came = {}
    const attempt = async (name, work) => {
      try {
        const value = await work()
        came[name] = 'ok'
        return value
      } catch (error) {
        came[name] = error.name === 'WfError' ? error.code : `${error.name}: ${error.code}: ${error.message}`
        return
      }
    }
    const reader = await attempt('open to read', () => openSqliteReader({ clock: systemClock, path }))
    if (reader) {
      for (const [name, ask] of Object.entries(questions)) await attempt(name, () => ask(reader))
      await attempt('close reader', () => reader.close())
    }
    const options = { clock: systemClock, random, durability: 'power', create: true, lockTimeoutMs: 2_000 }
    const writer = await attempt('open to write', () => openSqliteStore({ ...options, path }))
    if (writer) {
      let told = 0
      const end = writer.watch(() => told++)
      const claimed = await attempt('claim', () =>
        writer.exchange({ settlements: [], claim: claimOf() }, systemClock.now()),
      )
      came.claimed = claimed?.claimed.length ?? 0
      for (const [name, write] of Object.entries(changes))
        await attempt(name, () => write(writer, claimed?.claimed ?? []))
      end()
      await attempt('close writer', () => writer.close())
    }
    return came
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
