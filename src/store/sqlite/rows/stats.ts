/** wf_stats, wf_counters and wf_progress: sums that workers add once a second. */
import type { CounterDelta, StatDelta } from '../../../domain/stat-delta.ts'
import type { Progress } from '../../port.ts'
import type { Connection } from '../file/connection.ts'

export interface StatsTable {
  add(stat: StatDelta): void
  count(counter: CounterDelta): void
  /** Kept only while that attempt runs. */
  progress(progress: Progress, now: number): void
  since(minute: number): readonly StatDelta[]
  counters(): readonly CounterDelta[]
  progressOf(jobKey: number): { fraction: number; note: string | null; at: number } | null
}

export function statsTable(db: Connection): StatsTable {
  const add =
    db.prepare(`INSERT INTO wf_stats (minute, type, outcome, bucket, count, sum_ms) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, sum_ms = sum_ms + excluded.sum_ms`)
  const count = db.prepare(
    'INSERT INTO wf_counters (metric, labels, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
  )
  const progress = db.prepare(`INSERT INTO wf_progress (job_key, attempt, fraction, note, at)
    SELECT key, attempt, ?, ?, ? FROM wf_jobs WHERE key = ? AND state = 'running' AND attempt = ?
    ON CONFLICT DO UPDATE SET attempt = excluded.attempt, fraction = excluded.fraction, note = excluded.note, at = excluded.at`)
  const since = db.prepare<[number], StatDelta>(
    'SELECT minute, type, outcome, bucket, count, sum_ms AS sumMs FROM wf_stats WHERE minute >= ? ORDER BY minute, type, outcome, bucket',
  )
  const counters = db.prepare<[], CounterDelta>(
    'SELECT metric, labels, value FROM wf_counters ORDER BY metric, labels',
  )
  const progressOf = db.prepare<[number], { fraction: number; note: string | null; at: number }>(
    'SELECT fraction, note, at FROM wf_progress WHERE job_key = ?',
  )
  return {
    add({ minute, type, outcome, bucket, count: times, sumMs }) {
      add.run(minute, type, outcome, bucket, times, sumMs)
    },
    count({ metric, labels, value }) {
      count.run(metric, labels, value)
    },
    progress({ jobKey, attempt, fraction, note }, now) {
      progress.run(fraction, note, now, jobKey, attempt)
    },
    since: (minute) => since.all(minute),
    counters: () => counters.all(),
    progressOf: (jobKey) => progressOf.get(jobKey) ?? null,
  }
}
