// Works on a store and says after each answer what was acknowledged; every system call of it is recorded. See power-loss.test.ts.
import { registerWorkers } from '../../../../src/engine/plans/workers.ts'
import { writeSync } from 'node:fs'
import { systemClock } from '../../../../src/clock.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/file/open.ts'

const [path = '', durability = 'power', rounds = '20'] = process.argv.slice(2)
const store = await openSqliteStore({
  path,
  clock: systemClock,
  random: Math.random,
  durability,
  create: true,
})
const now = () => systemClock.now()
const say = (words) => writeSync(1, `${words}\n`)

// Large enough that checkpoints fall into the work.
const variables = JSON.stringify({ text: 'x'.repeat(100_000) })
const job = {
  type: 't',
  variables,
  priority: 0,
  retries: 3,
  retriesGiven: false,
  deadlineAt: null,
  parentKey: null,
  idempotency: null,
}
const claim = {
  workerId: 'w#1',
  limit: 2,
  suspects: false,
  types: [{ type: 't', limit: 2, timeoutMs: 60_000, retries: 3 }],
}
const row = {
  id: 'w#1',
  label: 'w',
  pid: 1,
  host: 'test',
  startedAt: 1,
  leaseUntil: 2 ** 50,
  state: 'running',
  concurrency: 2,
  types: ['t'],
}

await store.transact(registerWorkers, [{ ...row, quarantine: false }], now())
let held = []
for (let round = 0; round < Number(rounds); round++) {
  const enqueued = await store.enqueue(
    [
      { ...job, runAt: now() },
      { ...job, runAt: now() },
    ],
    now(),
  )
  say(`accepted ${enqueued.map(({ key }) => key).join(' ')}`)
  const settlements = held.map(({ key, attempt, retries, startedAt }) => ({
    fence: { jobKey: key, attempt, workerId: 'w#1' },
    ...{
      type: 't',
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
      finishedAt: now(),
    },
  }))
  const exchanged = await store.exchange({ settlements, claim }, now())
  if (held.length > 0) say(`completed ${held.map(({ key }) => key).join(' ')}`)
  held = exchanged.claimed
}
process.kill(process.pid, 'SIGKILL')
