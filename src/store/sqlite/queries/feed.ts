/**
 * What is new since a mark: a few rows of each sort, or their sums. What has ids that grow is read by them. What is only dated is
 * read again from a little before, because a process takes its time first and commits later; what was told then is left out.
 */
import type { Marks } from '../../../domain/feed-event.ts'
import type { Connection } from '../file/connection.ts'
import { atOneMoment } from './read-snapshot.ts'
import { idNews, operationNews, type IdSource } from './feed-by-id.ts'
import { successNews, workerNews } from './feed-counted.ts'
import { attemptNews, letterNews } from './feed-dated.ts'
import { timeSeek } from './id-at-time.ts'
import type { News } from '../../views.ts'

export interface NewsReader {
  marksAt(since: number, now: number): Marks
  newsSince(marks: Marks, limit: number, now: number): News
}

const error =
  "CASE WHEN json_valid(error) THEN coalesce(json_extract(error, '$.code') || ': ', '') || json_extract(error, '$.message') END"

const jobs: IdSource = {
  ...{ kind: 'enqueued', table: 'wf_jobs', id: 'key', at: 'created_at', type: 'type' },
  columns: 'key AS jobKey, NULL AS what, NULL AS detail, NULL AS who',
}
const incidents: IdSource = {
  ...{ kind: 'incident', table: 'wf_incidents', id: 'id', at: 'created_at', type: 'type' },
  columns: `job_key AS jobKey, kind AS what, ${error} AS detail, NULL AS who`,
}
const history: IdSource = {
  ...{ kind: 'change', table: 'wf_history', id: 'id', at: 'at' },
  type: "coalesce((SELECT j.type FROM wf_jobs j WHERE j.key = wf_history.job_key), json_extract(detail, '$.type'))",
  columns:
    "job_key AS jobKey, event AS what, coalesce(json_extract(detail, '$.breaker'), json_extract(detail, '$.worker'), reason) AS detail, who",
}

export function newsReader(db: Connection): NewsReader {
  const byId = { job: idNews(db, jobs), incident: idNews(db, incidents), history: idNews(db, history) }
  const first = { job: timeSeek(db, jobs), incident: timeSeek(db, incidents), history: timeSeek(db, history) }
  const operations = operationNews(db)
  const [attempts, letters, successes, workers] = [
    attemptNews(db),
    letterNews(db),
    successNews(db),
    workerNews(db),
  ]
  return {
    newsSince: atOneMoment(db, (marks: Marks, limit: number, now: number): News => {
      const job = byId.job(marks.job, limit)
      const incident = byId.incident(marks.incident, limit)
      const done = byId.history(marks.history, limit)
      const operation = operations.since(marks, limit)
      const attempt = attempts(marks.attempts, limit, now)
      const letter = letters(marks.letters, limit, now)
      const { happenings: through, ...counted } = successes.since(marks, now)
      const crew = workers.since(marks.workers, now)
      const found = [job, incident, done, operation, attempt, letter, crew].flatMap(
        ({ happenings }) => happenings,
      )
      return {
        happenings: [...found, ...through].sort((a, b) => a.at - b.at),
        more: operation.more || attempt.more || letter.more,
        marks: {
          ...{
            job: job.last,
            incident: incident.last,
            history: done.last,
            operation: operation.last,
            open: operation.open,
          },
          ...{ attempts: attempt.mark, letters: letter.mark, workers: crew.known, ...counted },
        },
      }
    }),
    marksAt: atOneMoment(db, (since: number, now: number): Marks => {
      const dated = { from: since - 1, seen: [] }
      return {
        ...{
          job: first.job(since) - 1,
          incident: first.incident(since) - 1,
          history: first.history(since) - 1,
        },
        ...{ operation: operations.before(since), open: [], attempts: dated, letters: dated },
        ...{ ...successes.from(since, now), workers: workers.known() },
      }
    }),
  }
}
