/** Turns a Selector into SQL conditions. Every value is bound; lists are bound as JSON, so that statement texts are constant. */
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

/** Conditions on the job. The table is `j`. */
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

/** Conditions on the time in `column`. */
export function timeConditions({ since, until }: Selector, column: string): Condition[] {
  return [
    ...(since === undefined ? [] : [{ sql: `${column} >= ?`, values: [since] }]),
    ...(until === undefined ? [] : [{ sql: `${column} < ?`, values: [until] }]),
  ]
}

/** Conditions on the incident, by default open. The table is `i`. */
export function incidentConditions({ incidentKinds, fingerprints, includeClosed }: Selector): Condition[] {
  return [
    ...(incidentKinds ? [inList('i.kind', incidentKinds)] : []),
    ...(fingerprints ? [inList('i.fingerprint', fingerprints)] : []),
    ...(includeClosed ? [] : [{ sql: 'i.resolved_at IS NULL', values: [] }]),
  ]
}

/** Conditions on the dead letter, by default open. The table is `p`. */
export function deadLetterConditions({ deadLetterReasons, includeClosed }: Selector): Condition[] {
  return [
    ...(deadLetterReasons ? [inList('p.reason', deadLetterReasons)] : []),
    ...(includeClosed ? [] : [{ sql: 'p.closed_at IS NULL', values: [] }]),
  ]
}

/** The job has a matching incident. */
export function withIncident(selector: Selector, jobKey: string): Condition[] {
  if (!selector.incidentKinds && !selector.fingerprints) return []
  const { sql, values } = all(incidentConditions(selector))
  return [{ sql: `EXISTS (SELECT 1 FROM wf_incidents i WHERE i.job_key = ${jobKey} AND ${sql})`, values }]
}

/** The job has a matching dead letter. */
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
