/** Dead letters that a person deletes, inside an open transaction. An open one is discarded first, so that no job loses its letter and waits on. */
import type { JobState } from '../../domain/job.ts'
import { keptBecause, type Purge } from '../../domain/purge.ts'
import type { Applied } from '../../domain/resolution.ts'
import type { Connection } from './file/connection.ts'
import { historyTable } from './rows/history.ts'
import { jobsTable } from './rows/jobs.ts'
import { letterReader } from './rows/dead-letters.ts'
import { resolver, targetRecorder } from './resolve.ts'

export function purger(db: Connection): (purge: Purge, now: number) => readonly Applied[] {
  const purgeOne = onePurger(db)
  const record = targetRecorder(db)
  return ({ keys, ...purge }, now) =>
    keys.map((jobKey) => {
      const applied = purgeOne({ ...purge, jobKey }, now)
      record(purge, applied, { image: null, now })
      return applied
    })
}

type One = Omit<Purge, 'keys'> & { jobKey: number }

function onePurger(db: Connection): (one: One, now: number) => Applied {
  const letters = letterReader(db)
  const jobs = jobsTable(db)
  const history = historyTable(db)
  const resolve = resolver(db)
  const remove = db.prepare('DELETE FROM wf_poison_jobs WHERE job_key = ?')
  return ({ jobKey, open, who, reason }, now) => {
    const letter = letters(jobKey)
    const from = jobs.get(jobKey)?.state ?? null
    const kept = keptBecause(jobKey, letter, { open })
    if (kept) return { jobKey, ...kept, from, to: from }
    const to =
      letter?.closedAt === null && from !== null
        ? discarded(resolve({ jobKey, verb: 'discard', who, reason }, now))
        : from
    remove.run(jobKey)
    if (from !== null)
      history.add({ jobKey, at: now, event: 'dead_letter_purged', who, reason, detail: null })
    return { jobKey, status: 'changed', from, to, why: '' }
  }
}

/** An open letter can be discarded in every state of its job: what else it answers would leave a job that waits for a letter that is gone. */
function discarded({ jobKey, status, to, why }: Applied): JobState | null {
  if (status === 'changed' || status === 'skipped') return to
  throw new Error(`job ${jobKey} could not be discarded: ${why}`)
}
