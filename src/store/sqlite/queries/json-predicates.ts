/**
 * Conditions on errors and variables. They parse JSON for each row, so lists apply them last, to a limited number
 * of rows at once. Damaged JSON matches nothing and breaks no list.
 */
import { errorTest } from '../../../domain/error-match.ts'
import { parseExactJson } from '../../../text/strict-json.ts'
import { sameJson } from '../../../text/json.ts'
import type { Selector, WhereCondition } from '../../../domain/selector.ts'
import { parsePath } from '../../../domain/variable-path.ts'
import { isIndex } from '../../../domain/where.ts'
import { errorFrom } from '../rows/attempts.ts'
import type { Connection } from '../file/connection.ts'
import type { Condition } from './where-clause.ts'

/** SQL expressions of a list's row. */
export interface Inside {
  /** JSON text of an error record. */
  error: string
  /** JSON text; null if it can't be read. */
  variables: string
}

export const looksInside = ({ error, codes, where }: Selector): boolean =>
  error !== undefined || codes !== undefined || where !== undefined

/** The current error of a job: of its open incident or dead letter, else of its last failed attempt. None for a completed job. */
const errorOfJob = `CASE j.state WHEN 'completed' THEN NULL
  WHEN 'failed' THEN (SELECT e.error FROM wf_incidents e WHERE e.job_key = j.key AND e.resolved_at IS NULL)
  WHEN 'dead' THEN (SELECT e.error FROM wf_poison_jobs e WHERE e.job_key = j.key AND e.closed_at IS NULL)
  ELSE (SELECT e.error FROM wf_attempts e WHERE e.job_key = j.key AND e.error IS NOT NULL AND e.outcome <> 'stale' ORDER BY e.attempt DESC, e.finished_at DESC LIMIT 1) END`

/** Of a job `j` beside its data `d`. */
export const insideJob: Inside = {
  error: errorOfJob,
  variables: 'CASE WHEN d.codec = 0 AND json_valid(d.variables) THEN d.variables END',
}
/** Of a job `j` with nothing beside it. */
export const insideJobAlone: Inside = {
  ...insideJob,
  variables: `(SELECT ${insideJob.variables} FROM wf_job_data d WHERE d.job_key = j.key)`,
}
/** Of an incident `i` beside its job's data `d`. */
export const insideIncident: Inside = { ...insideJob, error: 'i.error' }
/** Of an incident `i` with nothing beside it. */
export const insideIncidentAlone: Inside = {
  ...insideIncident,
  variables: `(SELECT ${insideJob.variables} FROM wf_job_data d WHERE d.job_key = i.job_key)`,
}
/** Of a dead letter `p`, which has a copy of its own. */
export const insideDeadLetter: Inside = {
  error: 'p.error',
  variables: 'CASE WHEN json_valid(p.variables) THEN p.variables END',
}

export function insideConditions(
  { error, codes, where = [] }: Selector,
  inside: Inside,
): readonly Condition[] {
  const wanted = { ...(error ? { error } : {}), ...(codes ? { codes } : {}) }
  const says =
    error || codes ? [{ sql: `wf_error_fits(?, ${inside.error})`, values: [JSON.stringify(wanted)] }] : []
  return [...says, ...where.map((condition) => holds(condition, inside.variables))]
}

/** A key of digits is an index of a list or the name of a member; a value has at most one of them. */
function holds({ path, value }: WhereCondition, variables: string): Condition {
  const ways = waysOf(parsePath(path)).map((way) => compared(way, value, variables))
  return { sql: ways.map(({ sql }) => `(${sql})`).join(' OR '), values: ways.flatMap(({ values }) => values) }
}

function waysOf(keys: readonly string[]): readonly string[] {
  return keys.reduce<readonly string[]>(
    (ways, key) => {
      // Escaped as in JSON: SQLite reads escapes in a name as JSON does.
      const named = ways.map((way) => `${way}.${JSON.stringify(key)}`)
      return isIndex(key) ? [...named, ...ways.map((way) => `${way}[${key}]`)] : named
    },
    ['$'],
  )
}

/** The value is bound as JSON too, so that both sides become SQL values in the same way, numbers beyond 2^53 included. */
function compared(way: string, value: unknown, variables: string): Condition {
  const type = `json_type(${variables}, ?)`
  const json = JSON.stringify(value)
  if (value === null || typeof value === 'boolean') return { sql: `${type} = ?`, values: [way, json] }
  if (typeof value === 'object') {
    const same = `wf_same_json(json_extract(${variables}, ?), ?)`
    return {
      sql: `${type} = ? AND ${same}`,
      values: [way, Array.isArray(value) ? 'array' : 'object', way, json],
    }
  }
  const types = typeof value === 'number' ? "IN ('integer', 'real')" : "= 'text'"
  return {
    sql: `${type} ${types} AND json_extract(${variables}, ?) = json_extract(?, '$')`,
    values: [way, way, json],
  }
}

const prepared = new WeakSet<Connection>()

/** Registers the functions that these conditions call. */
export function prepareInside(db: Connection): void {
  if (prepared.has(db)) return
  prepared.add(db)
  let last: { wanted: string; fits: ReturnType<typeof errorTest> } | null = null
  db.function('wf_error_fits', { deterministic: true }, (wanted: unknown, error: unknown) => {
    if (typeof error !== 'string') return 0
    const fits =
      last !== null && last.wanted === wanted ? last.fits : errorTest(JSON.parse(String(wanted)) as Selector)
    last = { wanted: String(wanted), fits }
    return fits(readable(errorFrom(error))) ? 1 : 0
  })
  db.function('wf_same_json', { deterministic: true }, (stored: unknown, wanted: unknown) => {
    try {
      // A number that JavaScript would round doesn't match.
      return sameJson(parseExactJson(String(stored)), JSON.parse(String(wanted))) ? 1 : 0
    } catch {
      return 0
    }
  })
}

/** JSON that isn't an error record, written by another program. */
function readable(record: unknown): { name: string; message: string; code: string | null } {
  const { name, message, code } = (typeof record === 'object' && record !== null ? record : {}) as Record<
    string,
    unknown
  >
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { name: text(name), message: text(message), code: typeof code === 'string' ? code : null }
}
