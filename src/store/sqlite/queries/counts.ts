/** Number of jobs by state, from partial indexes: completed jobs are not counted and cost nothing. */
import { jobStates, type JobState } from '../../../domain/job.ts'
import { atOneMoment } from './read-snapshot.ts'
import { indexesOf } from './job-list.ts'
import type { TypeRow } from '../rows/job-types.ts'
import type { Rows } from '../rows/rows.ts'
import { namesFrom } from '../rows/workers.ts'
import type { TypeView } from '../../views.ts'

export type Counts = Partial<Record<JobState, number>>

const counted = jobStates.flatMap((state) => indexesOf(state).map((index) => ({ state, ...index })))

export interface Counting {
  counts(): Counts
  types(now: number): readonly TypeView[]
}

export function counting(rows: Rows): Counting {
  const { db } = rows
  const totals = counted.map(({ state, name, where }) => ({
    state,
    count: db.prepare<[], number>(`SELECT count(*) FROM wf_jobs INDEXED BY ${name} WHERE ${where}`).pluck(),
  }))
  return {
    // One snapshot: a job that changes state between two statements would be counted twice, or not at all.
    counts: atOneMoment(db, () => {
      const counts: Counts = {}
      for (const { state, count } of totals) add(counts, state, count.get() ?? 0)
      return counts
    }),
    types: atOneMoment(db, typeViews(rows)),
  }
}

function typeViews({ db, types, workers }: Rows): (now: number) => readonly TypeView[] {
  const byType = counted.map(({ state, name, where }) => ({
    state,
    rows: db
      .prepare<[], [string, number, number]>(
        `SELECT type, count(*), ${state === 'available' ? 'min(run_at)' : '0'} FROM wf_jobs INDEXED BY ${name} WHERE ${where} GROUP BY type`,
      )
      .raw(),
  }))
  return (now) => {
    const living = workers.all().filter(({ leaseUntil }) => leaseUntil > now)
    const views = new Map(types.all().map((row) => [row.type, viewOf(row, now)]))
    for (const { state, rows } of byType) {
      for (const [type, count, oldest] of rows.all()) {
        const view = views.get(type) ?? unknownType(type)
        views.set(type, view)
        add(view.counts, state, count)
        if (state === 'available') view.oldestDueAt = Math.min(oldest, view.oldestDueAt ?? oldest)
      }
    }
    return [...views.values()]
      .map((view) => ({ ...view, workers: living.filter(({ types }) => types.includes(view.type)).length }))
      .sort((a, b) => (a.type < b.type ? -1 : 1))
  }
}

function add(counts: Counts, state: JobState, count: number): void {
  counts[state] = (counts[state] ?? 0) + count
}

function unknownType(type: string): TypeView {
  const pause = { pausedAt: null, pausedUntil: null, pausedBy: null, pauseReason: null }
  return { type, declaration: null, ...pause, badStreak: 0, counts: {}, oldestDueAt: null, workers: 0 }
}

function viewOf(row: TypeRow, now: number): TypeView {
  const {
    type,
    timeoutMs,
    concurrency,
    retries,
    backlogLimit,
    onExhausted,
    breakers,
    pausedAt,
    pausedUntil,
    pausedBy,
    pauseReason,
    badStreak,
  } = row
  const known = timeoutMs !== null && concurrency !== null && retries !== null && onExhausted !== null
  const through = breakers === null ? {} : { breakers: namesFrom(breakers) }
  const declaration = known
    ? { type, timeoutMs, concurrency, retries, backlogLimit, onExhausted, ...through }
    : null
  // The end of a pause resets the bad streak.
  const isOver = pausedUntil !== null && pausedUntil <= now
  return {
    ...unknownType(type),
    declaration,
    ...(isOver ? {} : { pausedAt, pausedUntil, pausedBy, pauseReason, badStreak }),
  }
}
