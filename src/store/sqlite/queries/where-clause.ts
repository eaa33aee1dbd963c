/** Turns a Selector into SQL conditions. Every value is bound; lists travel as JSON, so that a statement's text does not grow with them. */
import type { Connection, Statement } from '../file/connection.ts'
import type { Selector } from '../../../domain/selector.ts'

export type Value = string | number | null

export interface Condition {
  sql: string
  values: readonly Value[]
}

const inList = (column: string, list: readonly (string | number)[]): Condition => ({
  sql: `${column} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(list)],
})

/** What the job itself must be. Its row is `j`. */
export function jobConditions({ keys, types, states, workerId }: Selector): Condition[] {
  return [
    ...(keys ? [inList('j.key', keys)] : []),
    ...(types ? [inList('j.type', types)] : []),
    ...(states ? [inList('j.state', states)] : []),
    ...(workerId === undefined
      ? []
      : [{ sql: "j.state = 'running' AND j.worker_id = ?", values: [workerId] }]),
  ]
}

/** Its beginning, which stands in `column`. */
export function timeConditions({ since, until }: Selector, column: string): Condition[] {
  return [
    ...(since === undefined ? [] : [{ sql: `${column} >= ?`, values: [since] }]),
    ...(until === undefined ? [] : [{ sql: `${column} < ?`, values: [until] }]),
  ]
}

/** Open ones, unless closed ones are wanted too. Its row is `i`. */
export function incidentConditions({ incidentKinds, fingerprints, includeClosed }: Selector): Condition[] {
  return [
    ...(incidentKinds ? [inList('i.kind', incidentKinds)] : []),
    ...(fingerprints ? [inList('i.fingerprint', fingerprints)] : []),
    ...(includeClosed ? [] : [{ sql: 'i.resolved_at IS NULL', values: [] }]),
  ]
}

/** Open ones, unless closed ones are wanted too. Its row is `p`. */
export function deadLetterConditions({ deadLetterReasons, includeClosed }: Selector): Condition[] {
  return [
    ...(deadLetterReasons ? [inList('p.reason', deadLetterReasons)] : []),
    ...(includeClosed ? [] : [{ sql: 'p.closed_at IS NULL', values: [] }]),
  ]
}

/** A job that has such an incident. */
export function withIncident(selector: Selector, jobKey: string): Condition[] {
  if (!selector.incidentKinds && !selector.fingerprints) return []
  const { sql, values } = all(incidentConditions(selector))
  return [{ sql: `EXISTS (SELECT 1 FROM wf_incidents i WHERE i.job_key = ${jobKey} AND ${sql})`, values }]
}

/** A job that has such a dead letter. */
export function withDeadLetter(selector: Selector, jobKey: string): Condition[] {
  if (!selector.deadLetterReasons) return []
  const { sql, values } = all(deadLetterConditions(selector))
  return [{ sql: `EXISTS (SELECT 1 FROM wf_poison_jobs p WHERE p.job_key = ${jobKey} AND ${sql})`, values }]
}

export function all(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: 'TRUE', values: [] }
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Prepares each text once. */
export function statements(db: Connection): (sql: string) => Statement {
  const known = new Map<string, Statement>()
  return (sql) => {
    const found = known.get(sql) ?? db.prepare(sql)
    known.set(sql, found)
    return found
  }
}
