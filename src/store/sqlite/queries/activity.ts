/** Figures of a time window: sums over wf_stats and over the newest rows of tables that grow with time. */
import type { Connection } from '../file/connection.ts'
import { atOneMoment } from './read-snapshot.ts'
import { all, statements, type Condition } from './where-clause.ts'
import { timeSeek } from './id-at-time.ts'
import type { ActivityBy, ActivityQuery, AttemptTotal, StopTotal, WaitingTotal } from '../../views.ts'

export interface Activity {
  attempts(query: ActivityQuery): readonly AttemptTotal[]
  stops(query: ActivityQuery): readonly StopTotal[]
  waiting(): readonly WaitingTotal[]
}

const minuteMs = 60_000

const grouping: Readonly<Record<ActivityBy, Readonly<Record<'attempts' | 'incidents' | 'letters', string>>>> =
  {
    type: { attempts: 'type', incidents: 'i.type', letters: 'p.job_type' },
    outcome: { attempts: 'outcome', incidents: 'i.kind', letters: 'p.reason' },
    minute: {
      attempts: 'CAST(minute AS TEXT)',
      incidents: `CAST(i.created_at / ${minuteMs} * ${minuteMs} AS TEXT)`,
      letters: `CAST(p.received_at / ${minuteMs} * ${minuteMs} AS TEXT)`,
    },
  }

export function activity(db: Connection): Activity {
  const prepared = statements(db)
  const firstIncident = timeSeek(db, { table: 'wf_incidents', id: 'id', at: 'created_at' })
  return {
    attempts({ since, by, types }) {
      const where = all([
        { sql: 'minute >= ?', values: [since - (since % minuteMs)] },
        ...ofTypes('type', types),
      ])
      const sql = `SELECT ${grouping[by].attempts} AS "group", outcome, bucket, sum(count) AS count FROM wf_stats WHERE ${where.sql} GROUP BY 1, 2, 3`
      return prepared(sql).all(...where.values) as AttemptTotal[]
    },
    stops: atOneMoment(db, ({ since, by, types }: ActivityQuery) => {
      const incidents = all([
        { sql: 'i.id >= ? AND i.created_at >= ?', values: [firstIncident(since), since] },
        ...ofTypes('i.type', types),
      ])
      const letters = all([{ sql: 'p.received_at >= ?', values: [since] }, ...ofTypes('p.job_type', types)])
      const { incidents: kind, letters: reason } = grouping[by]
      const opened = prepared(
        `SELECT ${kind} AS "group", count(*) AS count FROM wf_incidents i NOT INDEXED WHERE ${incidents.sql} GROUP BY 1`,
      )
      const received = prepared(
        `SELECT ${reason} AS "group", count(*) AS count FROM wf_poison_jobs p INDEXED BY wf_poison_jobs_received WHERE ${letters.sql} GROUP BY 1`,
      )
      return merged(opened.all(...incidents.values) as Count[], received.all(...letters.values) as Count[])
    }),
    waiting: () =>
      prepared(
        `SELECT type, wait_reason AS reason, count(*) AS count FROM wf_jobs INDEXED BY wf_jobs_waiting WHERE state = 'waiting' GROUP BY 1, 2`,
      ).all() as WaitingTotal[],
  }
}

function ofTypes(column: string, types: readonly string[] | undefined): readonly Condition[] {
  return types === undefined
    ? []
    : [{ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(types)] }]
}

interface Count {
  group: string
  count: number
}

function merged(incidents: readonly Count[], letters: readonly Count[]): readonly StopTotal[] {
  const groups = new Map<string, StopTotal>()
  const of = (group: string) => groups.get(group) ?? { group, incidents: 0, deadLetters: 0 }
  for (const { group, count } of incidents) groups.set(group, { ...of(group), incidents: count })
  for (const { group, count } of letters) groups.set(group, { ...of(group), deadLetters: count })
  return [...groups.values()]
}
