/** Open incidents by fingerprint, from a covering index: only one row is read for each returned cause. */
import { mostCauses, sampleSize, trendWindowMs, worseFirst, type Cause } from '../../../domain/cause.ts'
import type { ErrorRecord } from '../../../domain/error-record.ts'
import { normaliseMessage } from '../../../domain/fingerprint.ts'
import type { IncidentKind } from '../../../domain/incident.ts'
import { maskText } from '../../../text/mask.ts'
import { errorFrom } from '../rows/attempts.ts'
import type { Connection } from '../file/connection.ts'
import { insideConditions, insideIncidentAlone, prepareInside } from './json-predicates.ts'
import { textOf } from '../rows/job-data.ts'
import {
  all,
  incidentConditions,
  jobConditions,
  statements,
  timeConditions,
  withDeadLetter,
  type Condition,
} from './where-clause.ts'
import type { CauseVariables } from '../../views.ts'
import type { Selector } from '../../../domain/selector.ts'

interface Group {
  fingerprint: string
  kinds: { kind: IncidentKind; count: number }[]
  count: number
  firstAt: number
  lastAt: number
}

type Row = Pick<Group, 'fingerprint' | 'count' | 'firstAt' | 'lastAt'> & { kind: IncidentKind }

export function causeLister(db: Connection): (selector: Selector, now: number) => readonly Cause[] {
  prepareInside(db)
  const statement = statements(db)
  const about = causeDetails(db)
  return (selector, now) => {
    const source = sourceOf(selector)
    const sql = `SELECT i.fingerprint, i.kind, count(*) AS count, min(i.created_at) AS firstAt, max(i.created_at) AS lastAt
      FROM ${source.sql} GROUP BY i.fingerprint, i.kind`
    const groups = grouped(statement(sql).all(...source.values) as Row[])
    const newest = `SELECT i.job_key FROM ${source.sql} AND i.fingerprint = ? ORDER BY i.created_at DESC, i.job_key DESC LIMIT ?`
    const oldest = newest.replaceAll(' DESC', '')
    const sample = (text: string, { fingerprint }: Group) =>
      statement(text)
        .pluck()
        .all(...source.values, fingerprint, sampleSize / 2) as number[]
    return groups.map((group) => {
      const keys = new Set([...sample(newest, group), ...sample(oldest, group).reverse()])
      return { ...group, ...about(group, [...keys], now) }
    })
  }
}

/** A covering index answers, unless the selector is about jobs too. */
function sourceOf(selector: Selector): Condition {
  const open = { ...selector, includeClosed: false }
  const own = [
    ...incidentConditions({ ...open, includeClosed: true }),
    ...timeConditions(open, 'i.created_at'),
  ]
  const inside = insideConditions(open, insideIncidentAlone)
  const ofJobs = [...jobConditions(open), ...withDeadLetter(open, 'j.key')]
  const where = all([{ sql: 'i.resolved_at IS NULL', values: [] }, ...own, ...ofJobs, ...inside])
  const jobs = ofJobs.length === 0 ? '' : ' CROSS JOIN wf_jobs j ON j.key = i.job_key'
  return {
    sql: `wf_incidents i INDEXED BY wf_incidents_open_cause${jobs} WHERE ${where.sql}`,
    values: where.values,
  }
}

/** Worst first, at most `mostCauses`. */
function grouped(rows: readonly Row[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { kind, ...row } of rows) {
    const group = groups.get(row.fingerprint) ?? { ...row, count: 0, kinds: [] }
    group.kinds.push({ kind, count: row.count })
    group.count += row.count
    group.firstAt = Math.min(group.firstAt, row.firstAt)
    group.lastAt = Math.max(group.lastAt, row.lastAt)
    groups.set(row.fingerprint, group)
  }
  for (const { kinds } of groups.values()) kinds.sort((a, b) => b.count - a.count)
  return [...groups.values()].sort(worseFirst).slice(0, mostCauses)
}

type Details = Pick<Cause, 'type' | 'kind' | 'code' | 'name' | 'message' | 'seenAt' | 'recent' | 'sampleKeys'>

function causeDetails(db: Connection): (group: Group, sampleKeys: readonly number[], now: number) => Details {
  const one = db.prepare<[number], { type: string; error: string }>(
    'SELECT type, error FROM wf_incidents WHERE job_key = ? AND resolved_at IS NULL',
  )
  const seen = db
    .prepare<[string], number | null>('SELECT min(created_at) FROM wf_incidents WHERE fingerprint = ?')
    .pluck()
  const came = db
    .prepare<[string, number, number], number>(
      'SELECT count(*) FROM wf_incidents WHERE fingerprint = ? AND created_at > ? AND created_at <= ?',
    )
    .pluck()
  return ({ fingerprint, firstAt, kinds }, sampleKeys, now) => {
    const row = one.get(sampleKeys[0] ?? 0)
    const error: ErrorRecord | null = row ? errorFrom(row.error) : null
    const between = (from: number, to: number) => came.get(fingerprint, from, to) ?? 0
    return {
      type: row?.type ?? '',
      kind: kinds[0]?.kind ?? 'job_no_retries',
      code: error?.code ?? null,
      name: error?.name ?? 'Error',
      // Masks before normalising: without its digits a secret would no longer be recognised.
      message: normaliseMessage(maskText(error?.message ?? '')),
      seenAt: seen.get(fingerprint) ?? firstAt,
      // Clocks differ: a time after now counts as recent.
      recent: {
        last: between(now - trendWindowMs, Number.MAX_SAFE_INTEGER),
        before: between(now - 2 * trendWindowMs, now - trendWindowMs),
      },
      sampleKeys,
    }
  }
}

/** Longer variables are left out of the sample. */
const longestVariables = 32 * 1_024
const rowsPerLook = 5_000
const looks = 10

/**
 * Members are those of the sample. The others are jobs of the type that came to rest otherwise, enqueued next to the members
 * and lately: a bounded stretch of keys is read, however rare the type is among them.
 */
export function causeVariables(
  db: Connection,
): (cause: Pick<Cause, 'fingerprint' | 'type' | 'sampleKeys'>) => CauseVariables {
  const texts = db
    .prepare<[string, number], unknown>(
      `SELECT variables FROM wf_job_data WHERE job_key IN (SELECT value FROM json_each(?)) AND codec = 0 AND octet_length(variables) <= ?`,
    )
    .pluck()
  const others = db
    .prepare<[number, number, string, string, number], number>(
      `SELECT key FROM (SELECT key, type, state FROM wf_jobs NOT INDEXED WHERE key < ? ORDER BY key DESC LIMIT ?) s
      WHERE type = ? AND state NOT IN ('available', 'waiting', 'running')
        AND NOT EXISTS (SELECT 1 FROM wf_incidents i WHERE i.job_key = s.key AND i.resolved_at IS NULL AND i.fingerprint = ?) LIMIT ?`,
    )
    .pluck()
  const read = (keys: Iterable<number>) => texts.all(JSON.stringify([...keys]), longestVariables).map(textOf)
  return ({ fingerprint, type, sampleKeys }) => {
    const step = Math.max(1, Math.ceil(sampleKeys.length / looks))
    const near = sampleKeys.filter((_, index) => index % step === 0)
    const found = new Set(
      near.flatMap((key) =>
        others.all(key, rowsPerLook / looks, type, fingerprint, Math.ceil(sampleSize / (2 * looks))),
      ),
    )
    for (const key of others.all(Number.MAX_SAFE_INTEGER, rowsPerLook, type, fingerprint, sampleSize / 2))
      found.add(key)
    return { members: read(sampleKeys), others: read(found) }
  }
}
