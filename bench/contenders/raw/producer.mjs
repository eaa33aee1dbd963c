import { openRaw } from './connect.mjs'

/** One transaction a call, as wf does it. */
export async function connect(options) {
  const db = await openRaw(options)
  const job = db.prepare(
    `INSERT INTO wf_jobs (type, state, priority, run_at, retries, retries_given, enqueued_retries, created_at)
     VALUES ('bench', 'available', 0, ?, 3, 0, 3, ?)`,
  )
  const data = db.prepare('INSERT INTO wf_job_data (job_key, variables) VALUES (?, ?)')
  const insert = (variables, now) => {
    const { lastInsertRowid } = job.run(now, now)
    data.run(lastInsertRowid, JSON.stringify(variables))
  }
  const insertOne = db.transaction((variables) => insert(variables, Date.now())).immediate
  const insertMany = db.transaction((list) => {
    const now = Date.now()
    for (const variables of list) insert(variables, now)
  }).immediate
  const count = db.prepare('SELECT count(*) FROM wf_jobs WHERE (state = ?) = ?').pluck()
  return {
    add: (variables) => insertOne(variables),
    addMany: (list) => insertMany(list),
    counts: () => ({ completed: count.get('completed', 1), unfinished: count.get('completed', 0) }),
    close: () => db.close(),
  }
}
