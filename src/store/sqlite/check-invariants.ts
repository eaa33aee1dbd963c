/** Invariants of every store. Tests and the doctor run them; each returned sentence is a fault. */
import { WfError } from '../../errors.ts'
import { openReader, type Connection } from './file/connection.ts'
import { storeError } from './file/sqlite-errors.ts'

/** Maximum number of examples of one kind of fault. */
const examples = 5

interface Invariant {
  /** Finishes the sentence `job 7 …`. */
  says: string
  /** Selects the keys of faulty rows. */
  sql: string
}

const jobs = (says: string, where: string): Invariant => ({
  says: `job # ${says}`,
  sql: `SELECT j.key FROM wf_jobs j WHERE ${where}`,
})

const openIncidents =
  '(SELECT count(*) FROM wf_incidents i WHERE i.job_key = j.key AND i.resolved_at IS NULL)'
const openLetters = '(SELECT count(*) FROM wf_poison_jobs p WHERE p.job_key = j.key AND p.closed_at IS NULL)'
const orphans = (table: string, column = 'job_key'): Invariant => ({
  says: `${table} has a row of job #, which does not exist`,
  sql: `SELECT t.${column} FROM ${table} t WHERE NOT EXISTS (SELECT 1 FROM wf_jobs j WHERE j.key = t.${column}) AND t.${column} IS NOT NULL`,
})

const invariants: readonly Invariant[] = [
  jobs('is failed and has not exactly one open incident', `j.state = 'failed' AND ${openIncidents} <> 1`),
  jobs('has an open incident and is not failed', `j.state <> 'failed' AND ${openIncidents} > 0`),
  jobs('is dead and has no open dead letter', `j.state = 'dead' AND ${openLetters} <> 1`),
  jobs(
    'has an open dead letter and is neither dead nor failed',
    `j.state NOT IN ('dead', 'failed') AND ${openLetters} > 0`,
  ),
  jobs(
    'is poison and its open incident has no open dead letter',
    `j.state = 'failed' AND ${openLetters} = 0
    AND EXISTS (SELECT 1 FROM wf_incidents i WHERE i.job_key = j.key AND i.resolved_at IS NULL AND i.kind = 'poison_message')`,
  ),
  jobs(
    'runs without worker or end',
    "j.state = 'running' AND (j.worker_id IS NULL OR j.run_until IS NULL OR j.started_at IS NULL OR j.attempt < 1)",
  ),
  jobs('has an end of its claim and does not run', "j.state <> 'running' AND j.run_until IS NOT NULL"),
  jobs(
    'has ended without an instant, or has one without having ended',
    "(j.state IN ('completed', 'rejected', 'cancelled')) <> (j.finished_at IS NOT NULL)",
  ),
  jobs(
    'waits without a reason, or has one without waiting',
    "(j.state = 'waiting') <> (j.wait_reason IS NOT NULL)",
  ),
  jobs('has a negative count', 'min(j.retries, j.attempt, j.failures, j.crashes, j.deferrals) < 0'),
  jobs('has no variables', 'NOT EXISTS (SELECT 1 FROM wf_job_data d WHERE d.job_key = j.key)'),
  jobs(
    'has a result and is not completed',
    "j.state <> 'completed' AND EXISTS (SELECT 1 FROM wf_results r WHERE r.job_key = j.key)",
  ),
  jobs(
    'has a row for an attempt that it has not reached',
    'EXISTS (SELECT 1 FROM wf_attempts a WHERE a.job_key = j.key AND a.attempt > j.attempt)',
  ),
  jobs(
    'has a step of an attempt that it has not reached',
    'EXISTS (SELECT 1 FROM wf_worker_idempotency s WHERE s.job_key = j.key AND s.attempt > j.attempt)',
  ),
  {
    says: 'job # has an attempt that ended in more than one way',
    sql: `SELECT job_key FROM wf_attempts WHERE outcome <> 'stale' GROUP BY job_key, attempt HAVING count(*) > 1`,
  },
  {
    says: 'job # is completed by an attempt that ended otherwise too',
    sql: `SELECT j.key FROM wf_jobs j JOIN wf_attempts a ON a.job_key = j.key AND a.attempt = j.attempt WHERE j.state = 'completed' AND a.outcome <> 'stale'`,
  },
  ...[
    'wf_job_data',
    'wf_results',
    'wf_progress',
    'wf_attempts',
    'wf_incidents',
    'wf_history',
    'wf_worker_idempotency',
  ].map((table) => orphans(table)),
  {
    says: 'operation # has counts that its targets do not bear out',
    // Retention deletes targets first: an old operation may have fewer than it counted.
    sql: `SELECT o.id FROM wf_operations o LEFT JOIN wf_operation_targets t ON t.operation_id = o.id GROUP BY o.id
      HAVING total(t.status = 'changed') > o.changed OR total(t.status = 'skipped') > o.skipped OR total(t.status IN ('failed', 'not_found')) > o.failed`,
  },
  {
    says: 'operation # has more targets than were meant',
    sql: 'SELECT id FROM wf_operations WHERE changed + skipped + failed > matched',
  },
  {
    says: 'wf_operation_targets has a row of operation #, which does not exist',
    sql: 'SELECT operation_id FROM wf_operation_targets t WHERE NOT EXISTS (SELECT 1 FROM wf_operations o WHERE o.id = t.operation_id)',
  },
]

/** Returns no sentence if all is well. Reads every job: for tests and the doctor, not for a worker. */
export function checkInvariants(db: Connection): string[] {
  try {
    const broken = invariants.flatMap(({ says, sql }) =>
      (db.prepare(`SELECT * FROM (${sql}) LIMIT ${examples}`).pluck().all() as number[]).map((key) =>
        says.replace('#', String(key)),
      ),
    )
    const sound = db.pragma('quick_check(1)', { simple: true })
    return sound === 'ok' ? broken : [...broken, damage(sound)]
  } catch (error) {
    const found = storeError(error, db.name)
    if (found instanceof WfError && found.code === 'store_corrupt') return [damage(found.message)]
    throw error
  }
}

const damage = (found: unknown) => `SQLite finds damage: ${String(found)}`

/** The same for a file that other processes may use; only reads it. */
export function checkInvariantsOf(path: string): string[] {
  const db = openReader(path)
  try {
    return checkInvariants(db)
  } finally {
    db.close()
  }
}
