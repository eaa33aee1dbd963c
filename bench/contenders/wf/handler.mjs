// The handler module that `wf run-worker` is given: a no-op that notes what ran. When the last job has run, it looks at
// the store through a connection of its own until nothing is running there any more: then the last completion is durable.
import { createRequire } from 'node:module'
import { createProbe } from '../../lib/probe.mjs'
import { options } from '../../lib/report.mjs'

// The copy that this process has loaded already: a second one would count as wf's memory.
const Database = createRequire(process.argv[1])('better-sqlite3')
const probe = createProbe()

export const bench = {
  type: options.type ?? 'bench',
  concurrency: options.concurrency,
  async run({ key, variables }) {
    if (probe.ran(key, variables.sentUs)) whenDurable()
  },
}

function whenDurable() {
  const db = new Database(options.address, { readonly: true })
  const running = db.prepare("SELECT 1 FROM wf_jobs WHERE state = 'running' LIMIT 1")
  const look = () => {
    if (running.get()) return setImmediate(look)
    probe.drained(() => {
      const { first } = db
        .prepare('SELECT min(started_at) AS first FROM wf_jobs WHERE key > ?')
        .get(options.olderKeys ?? 0)
      db.close()
      return first
    })
  }
  setImmediate(look)
}
