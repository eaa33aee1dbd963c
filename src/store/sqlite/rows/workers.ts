/** wf_workers: one row and one lease a worker, however many jobs are leased to it. */
import type { LocalBreaker } from '../../../domain/breaker-row.ts'
import type { Fence, Job } from '../../../domain/job.ts'
import { isJsonObject } from '../../../text/json.ts'
import type { Connection } from '../file/connection.ts'
import { jobColumnCount, jobColumns, jobFrom, type JobRow } from './jobs.ts'
import type { ExpiredLease, WorkerRow, WorkerView } from '../../views.ts'

export interface WorkersTable {
  put(worker: WorkerRow): void
  setState(id: string, state: WorkerRow['state']): void
  remove(id: string): void
  setBreakers(id: string, breakers: readonly LocalBreaker[]): void
  /** Null if the worker has no row. */
  renew(id: string, leaseUntil: number): WorkerRow['state'] | null
  get(id: string): WorkerView | null
  held(id: string): readonly Fence[]
  running(id: string): readonly Job[]
  all(): readonly WorkerView[]
  expired(now: number, limit: number): readonly ExpiredLease[]
}

type Row = Omit<WorkerView, 'types' | 'quarantine' | 'breakers'> & {
  types: string
  quarantine: number
  breakers: string | null
}
type ExpiredRow = readonly [...JobRow, runUntilPassed: number]

export function workersTable(db: Connection): WorkersTable {
  const put =
    db.prepare(`INSERT INTO wf_workers (id, label, pid, host, started_at, lease_until, state, concurrency, types, quarantine)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET label = excluded.label, pid = excluded.pid, host = excluded.host,
    started_at = excluded.started_at, lease_until = excluded.lease_until, state = excluded.state, concurrency = excluded.concurrency,
    types = excluded.types, quarantine = excluded.quarantine`)
  const setState = db.prepare('UPDATE wf_workers SET state = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM wf_workers WHERE id = ?')
  const setBreakers = db.prepare('UPDATE wf_workers SET breakers = ? WHERE id = ?')
  const renew = db
    .prepare<[number, string], WorkerRow['state']>(
      'UPDATE wf_workers SET lease_until = ? WHERE id = ? RETURNING state',
    )
    .pluck()
  return {
    put({ id, label, pid, host, startedAt, leaseUntil, state, concurrency, types, quarantine }) {
      const list = JSON.stringify(types)
      put.run(id, label, pid, host, startedAt, leaseUntil, state, concurrency, list, quarantine ? 1 : 0)
    },
    setState: (id, state) => void setState.run(state, id),
    remove: (id) => void remove.run(id),
    setBreakers: (id, breakers) => void setBreakers.run(JSON.stringify(breakers), id),
    renew: (id, leaseUntil) => renew.get(leaseUntil, id) ?? null,
    ...workerReads(db),
  }
}

/** Reads a stored list of names; damaged text counts as empty. */
export function namesFrom(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text)
    return Array.isArray(names) ? names.map(String) : []
  } catch {
    return []
  }
}

function viewOf({ breakers, ...row }: Row): WorkerView {
  const told = breakers === null ? {} : { breakers: localBreakersFrom(breakers) }
  return { ...row, types: namesFrom(row.types), quarantine: row.quarantine === 1, ...told }
}

function workerReads(db: Connection): Pick<WorkersTable, 'held' | 'running' | 'all' | 'get' | 'expired'> {
  const held = db.prepare<[string], Fence>(
    "SELECT key AS jobKey, attempt, worker_id AS workerId FROM wf_jobs WHERE state = 'running' AND worker_id = ? ORDER BY key",
  )
  const running = db
    .prepare<[string], JobRow>(
      `SELECT ${jobColumns} FROM wf_jobs j WHERE j.state = 'running' AND j.worker_id = ? ORDER BY j.key`,
    )
    .raw()
  const columns = `id, label, pid, host, started_at AS startedAt, lease_until AS leaseUntil, state, concurrency, types, quarantine, breakers,
    (SELECT count(*) FROM wf_jobs j WHERE j.state = 'running' AND j.worker_id = wf_workers.id) AS running`
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM wf_workers ORDER BY id`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM wf_workers WHERE id = ?`)
  const expired = db
    .prepare<
      [number, number, number, number],
      ExpiredRow
    >(`SELECT ${jobColumns}, j.run_until <= ? FROM wf_jobs j INDEXED BY wf_jobs_running
      LEFT JOIN wf_workers w ON w.id = j.worker_id
      WHERE j.state = 'running' AND (j.run_until <= ? OR w.id IS NULL OR w.lease_until <= ?) ORDER BY j.key LIMIT ?`)
    .raw()
  return {
    held: (id) => held.all(id),
    running: (id) => running.all(id).map(jobFrom),
    all: () => all.all().map(viewOf),
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : viewOf(row)
    },
    expired: (now, limit) =>
      expired.all(now, now, now, limit).map((row) => ({
        job: jobFrom(row as unknown as JobRow),
        reason: row[jobColumnCount] === 1 ? 'run_until_passed' : 'lease_expired',
      })),
  }
}

const modes: readonly string[] = ['closed', 'half_open', 'open'] satisfies LocalBreaker['mode'][]

function localBreakersFrom(text: string): readonly LocalBreaker[] {
  try {
    const told: unknown = JSON.parse(text)
    return Array.isArray(told) ? told.flatMap((each) => (isLocalBreaker(each) ? [each] : [])) : []
  } catch {
    return []
  }
}

function isLocalBreaker(each: unknown): each is LocalBreaker {
  if (!isJsonObject(each)) return false
  const { name, mode, generation, changedAt, expiresAt, types } = each
  const numbers =
    Number.isFinite(generation) &&
    Number.isFinite(changedAt) &&
    (expiresAt === null || Number.isFinite(expiresAt))
  return (
    typeof name === 'string' &&
    modes.includes(String(mode)) &&
    numbers &&
    Array.isArray(types) &&
    types.every((type) => typeof type === 'string')
  )
}
