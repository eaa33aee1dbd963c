/** News that are told by comparing: how many attempts came through, and which workers there are. */
import type { Happening, Marks } from '../../../domain/feed-event.ts'
import type { Connection } from '../file/connection.ts'

const minuteMs = 60_000
/** A store that was locked gets the figures of a minute late. */
const lateMinutes = 2

export function successNews(db: Connection) {
  const rows = db.prepare<[number], { minute: number; type: string; count: number }>(
    "SELECT minute, type, sum(count) AS count FROM wf_stats WHERE minute >= ? AND outcome IN ('success', 'business_error') GROUP BY minute, type",
  )
  const nameOf = (minute: number, type: string) => `${minute} ${type}`
  const counts = (minute: number) =>
    Object.fromEntries(rows.all(minute).map((row) => [nameOf(row.minute, row.type), row.count]))
  return {
    /** Of a moment that is now, what was counted by now is nothing new. */
    from(since: number, now: number): Pick<Marks, 'minute' | 'completed'> {
      const minute = since - (since % minuteMs)
      return { minute, completed: since >= now ? counts(minute) : {} }
    },
    since({ minute, completed }: Pick<Marks, 'minute' | 'completed'>, now: number) {
      const grown = new Map<string, number>()
      for (const row of rows.all(minute)) {
        const more = row.count - (completed[nameOf(row.minute, row.type)] ?? 0)
        if (more > 0) grown.set(row.type, (grown.get(row.type) ?? 0) + more)
      }
      const happenings = [...grown].map(
        ([type, count]): Happening => ({
          at: now,
          kind: 'completed',
          type,
          jobKey: null,
          count,
          what: null,
          detail: null,
          who: null,
        }),
      )
      const next = Math.max(minute, now - (now % minuteMs) - lateMinutes * minuteMs)
      return { happenings, minute: next, completed: counts(next) }
    },
  }
}

interface WorkerState {
  id: string
  state: string
  startedAt: number
}

export function workerNews(db: Connection) {
  const all = db.prepare<[], WorkerState>('SELECT id, state, started_at AS startedAt FROM wf_workers')
  const news = (at: number, what: string, who: string): Happening => ({
    at,
    kind: 'worker',
    type: null,
    jobKey: null,
    count: 1,
    what,
    detail: null,
    who,
  })
  const known = (workers: readonly WorkerState[]) =>
    Object.fromEntries(workers.map(({ id, state }) => [id, state]))
  return {
    known: () => known(all.all()),
    since(before: Marks['workers'], now: number) {
      const workers = all.all()
      const there = known(workers)
      const came = workers.flatMap(({ id, state, startedAt }) => {
        const was = before[id]
        if (was === undefined) return [news(Math.min(startedAt, now), 'joined', id)]
        return was === state ? [] : [news(now, state, id)]
      })
      const left = Object.keys(before).flatMap((id) => (id in there ? [] : [news(now, 'left', id)]))
      return { happenings: [...came, ...left], known: there }
    },
  }
}
