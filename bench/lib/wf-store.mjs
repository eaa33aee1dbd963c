// A wf store seen from outside, by SQL: what a measurement prepares, and what it reads afterwards.
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { payload } from './payload.mjs'

export function openFile(address, use) {
  const db = new Database(address, { timeout: 10_000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Holds a type back, so that workers can come up before the first of them may start. */
export function holdType(address) {
  openFile(address, (db) =>
    db
      .prepare(
        "INSERT INTO wf_types (type, paused_at) VALUES ('bench', 1) ON CONFLICT (type) DO UPDATE SET paused_at = 1",
      )
      .run(),
  )
}

export function releaseType(address) {
  openFile(address, (db) => db.prepare("UPDATE wf_types SET paused_at = NULL WHERE type = 'bench'").run())
}

/** Jobs that ended long ago, written by SQL: what a store looks like after a while. Their keys are 1 … rows. */
export function addCompleted(address, { rows, bytes }) {
  const at = Date.now() - 3_600_000
  openFile(address, (db) => {
    db.pragma('synchronous = OFF')
    const variables = JSON.stringify(payload(0, bytes))
    const jobs = db.prepare(`WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO wf_jobs (key, type, state, priority, run_at, retries, retries_given, enqueued_retries, attempt, worker_id, started_at, created_at, finished_at)
      SELECT i, 'bench', 'completed', 0, @at, 3, 0, 3, 1, 'bench#old', @at, @at, @at FROM n`)
    const data = db.prepare(
      'INSERT INTO wf_job_data (job_key, variables) SELECT key, ? FROM wf_jobs WHERE key BETWEEN ? AND ?',
    )
    for (let first = 1; first <= rows; first += 100_000) {
      const last = Math.min(rows, first + 99_999)
      jobs.run(first, last, { at })
      data.run(variables, first, last)
    }
    db.pragma('wal_checkpoint(TRUNCATE)')
  })
}

/** Every so many of the completed jobs stopped instead, for one of `causes` reasons in turn, each with a stack of frames. */
export function addIncidents(address, { every, causes }) {
  openFile(address, (db) => {
    db.pragma('synchronous = OFF')
    const codes = ['ETIMEDOUT', 'ECONNRESET', 'CARD_EXPIRED', 'E422']
    const stack = Array.from(
      { length: 8 },
      (_, line) => `at step${line} (/srv/shop/handlers/charge.ts:${line + 10}:5)`,
    ).join('\n    ')
    const error = (cause) => {
      const code = codes[cause % codes.length]
      return JSON.stringify({
        name: 'Error',
        message: `${code} of upstream ${cause} after 30 s`,
        code,
        stack,
        causes: [],
        truncated: false,
      })
    }
    db.prepare("UPDATE wf_jobs SET state = 'failed', finished_at = NULL, retries = 0 WHERE key % ? = 0").run(
      every,
    )
    db.prepare(
      `UPDATE wf_job_data SET variables = json_set(variables, '$.customer', job_key / @every % 997, '$.orderId', 'o-' || job_key) WHERE job_key % @every = 0`,
    ).run({ every })
    const add =
      db.prepare(`INSERT INTO wf_incidents (job_key, type, kind, error, fingerprint, attempt, created_at)
      SELECT key, type, 'job_no_retries', @error, @fingerprint, 3, created_at + key FROM wf_jobs WHERE state = 'failed' AND key / @every % @causes = @cause`)
    for (let cause = 0; cause < causes; cause += 1)
      add.run({
        every,
        causes,
        cause,
        error: error(cause),
        fingerprint: cause.toString(16).padStart(16, '0'),
      })
    db.pragma('wal_checkpoint(TRUNCATE)')
  })
}

/** Resolves when `count` workers have registered. */
export async function workersUp(address, count) {
  await until(() =>
    openFile(address, (db) => db.prepare('SELECT count(*) FROM wf_workers').pluck().get() >= count),
  )
}

/** How many of the jobs above `olderKeys` are completed, and how many are not. */
export function countJobs(address, olderKeys = 0) {
  const count =
    "SELECT count(*) FILTER (WHERE state = 'completed') AS completed, count(*) FILTER (WHERE state <> 'completed') AS unfinished"
  return openFile(address, (db) => db.prepare(`${count} FROM wf_jobs WHERE key > ?`).get(olderKeys))
}

/** Resolves when nothing is due or running any more. */
export async function drained(address) {
  const db = new Database(address, { readonly: true, timeout: 10_000 })
  const left = db
    .prepare(
      "SELECT EXISTS (SELECT 1 FROM wf_jobs WHERE state = 'available') OR EXISTS (SELECT 1 FROM wf_jobs WHERE state = 'running')",
    )
    .pluck()
  await until(() => left.get() === 0)
  db.close()
}

async function until(holds, timeoutMs = 120_000) {
  const end = Date.now() + timeoutMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs / 1000} s in vain`)
    await sleep(20)
  }
}
