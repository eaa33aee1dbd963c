/**
 * The feed: what was committed since a position, a few rows of each kind or their sums. Rows with growing ids are read by
 * them. Rows with only a time are read again from a little earlier, because a process takes its time before it commits; what
 * was returned before is left out.
 */
import type { FeedPosition } from '../../../domain/feed-event.ts'
import type { Connection } from '../file/connection.ts'
import { atOneMoment } from './read-snapshot.ts'
import { rowsById, endedOperations, type IdSource } from './feed-by-id.ts'
import { failedAttempts, newDeadLetters } from './feed-dated.ts'
import { timeSeek } from './id-at-time.ts'
import type { Feed } from '../../views.ts'

export interface FeedReader {
  feedPositionAt(since: number): FeedPosition
  feedSince(position: FeedPosition, limit: number, now: number): Feed
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

export function feedReader(db: Connection): FeedReader {
  const byId = { job: rowsById(db, jobs), incident: rowsById(db, incidents), history: rowsById(db, history) }
  const first = { job: timeSeek(db, jobs), incident: timeSeek(db, incidents), history: timeSeek(db, history) }
  const operations = endedOperations(db)
  const [attempts, letters] = [failedAttempts(db), newDeadLetters(db)]
  return {
    feedSince: atOneMoment(db, (position: FeedPosition, limit: number, now: number): Feed => {
      const job = byId.job(position.job, limit)
      const incident = byId.incident(position.incident, limit)
      const done = byId.history(position.history, limit)
      const operation = operations.since(position, limit)
      const attempt = attempts(position.attempts, limit, now)
      const letter = letters(position.letters, limit, now)
      const found = [job, incident, done, operation, attempt, letter].flatMap(({ events }) => events)
      return {
        events: found.sort((a, b) => a.at - b.at),
        more: operation.more || attempt.more || letter.more,
        position: {
          job: job.last,
          incident: incident.last,
          history: done.last,
          operation: operation.last,
          open: operation.open,
          attempts: attempt.mark,
          letters: letter.mark,
        },
      }
    }),
    feedPositionAt: atOneMoment(db, (since: number): FeedPosition => {
      const dated = { from: since - 1, seen: [] }
      return {
        job: first.job(since) - 1,
        incident: first.incident(since) - 1,
        history: first.history(since) - 1,
        operation: operations.before(since),
        open: [],
        attempts: dated,
        letters: dated,
      }
    }),
  }
}
