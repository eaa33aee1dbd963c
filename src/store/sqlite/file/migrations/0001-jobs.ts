/**
 * The first schema: jobs and all that belongs to them.
 * Why it looks like this: every state change rewrites a whole row, so what never changes (variables, results, errors)
 * lives in tables of its own; every index is partial and none covers completed jobs, so that neither a claim nor a
 * settlement costs more when a million jobs are finished.
 * The CHECKs of wf_jobs say OR where IN (…) would be shorter: from three values on, SQLite builds a temporary table for
 * an IN each time the statement runs, which costs more than the rest of an UPDATE.
 */
import { randomUUID } from 'node:crypto'
import type { Migration } from './migration.ts'

const jobs = `
CREATE TABLE wf_meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_jobs (
  key INTEGER PRIMARY KEY AUTOINCREMENT CHECK (key BETWEEN 1 AND 9007199254740991),
  type TEXT NOT NULL CHECK (type <> ''),
  state TEXT NOT NULL CHECK (state = 'available' OR state = 'waiting' OR state = 'running' OR state = 'completed' OR state = 'rejected'
    OR state = 'failed' OR state = 'dead' OR state = 'cancelled'),
  wait_reason TEXT CHECK (wait_reason = 'delay' OR wait_reason = 'backoff' OR wait_reason = 'deferred'),
  priority INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  retries INTEGER NOT NULL CHECK (retries >= 0),
  retries_given INTEGER NOT NULL CHECK (retries_given IN (0, 1)),
  enqueued_retries INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  deferrals INTEGER NOT NULL DEFAULT 0,
  deferring_since INTEGER,
  worker_id TEXT, -- of the last claim; kept when the job has ended
  started_at INTEGER,
  run_until INTEGER,
  deadline_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  parent_key INTEGER,
  root_key INTEGER, -- of the job at the top of its parents; null for a job that has none
  -- One CASE and no IN lists: SQLite builds a table in memory for each of those at every update.
  CHECK (CASE state
    WHEN 'available' THEN run_until IS NULL AND wait_reason IS NULL AND finished_at IS NULL
    WHEN 'running' THEN run_until IS NOT NULL AND worker_id IS NOT NULL AND wait_reason IS NULL AND finished_at IS NULL
    WHEN 'completed' THEN finished_at IS NOT NULL AND run_until IS NULL AND wait_reason IS NULL
    WHEN 'waiting' THEN (wait_reason IS 'backoff' OR wait_reason IS 'delay' OR wait_reason IS 'deferred') AND run_until IS NULL AND finished_at IS NULL
    WHEN 'failed' THEN run_until IS NULL AND wait_reason IS NULL AND finished_at IS NULL
    WHEN 'dead' THEN run_until IS NULL AND wait_reason IS NULL AND finished_at IS NULL
    WHEN 'rejected' THEN finished_at IS NOT NULL AND run_until IS NULL AND wait_reason IS NULL
    WHEN 'cancelled' THEN finished_at IS NOT NULL AND run_until IS NULL AND wait_reason IS NULL
    ELSE FALSE END)
) STRICT;
CREATE INDEX wf_jobs_available ON wf_jobs (type, priority DESC, run_at, key) WHERE state = 'available' AND crashes < 2;
CREATE INDEX wf_jobs_suspect ON wf_jobs (type, priority DESC, run_at, key) WHERE state = 'available' AND crashes >= 2;
CREATE INDEX wf_jobs_waiting ON wf_jobs (type, run_at, wait_reason) WHERE state = 'waiting';
CREATE INDEX wf_jobs_running ON wf_jobs (worker_id, run_until, type) WHERE state = 'running';
CREATE INDEX wf_jobs_failed ON wf_jobs (type, key) WHERE state = 'failed';
CREATE INDEX wf_jobs_dead ON wf_jobs (type, key) WHERE state = 'dead';
CREATE INDEX wf_jobs_rejected ON wf_jobs (type, key) WHERE state = 'rejected';
CREATE INDEX wf_jobs_cancelled ON wf_jobs (type, key) WHERE state = 'cancelled';
CREATE INDEX wf_jobs_deadline ON wf_jobs (deadline_at) WHERE deadline_at IS NOT NULL AND state IN ('available', 'waiting');
CREATE INDEX wf_jobs_parent ON wf_jobs (parent_key) WHERE parent_key IS NOT NULL;

CREATE TABLE wf_job_data (
  job_key INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL DEFAULT 0, -- 0: plain JSON text
  variables TEXT NOT NULL CHECK (codec <> 0 OR json_valid(variables))
) STRICT;

CREATE TABLE wf_results (
  job_key INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL DEFAULT 0,
  result TEXT NOT NULL CHECK (codec <> 0 OR json_valid(result))
) STRICT;

CREATE TABLE wf_progress (
  job_key INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL,
  fraction REAL NOT NULL CHECK (fraction BETWEEN 0 AND 1),
  note TEXT,
  at INTEGER NOT NULL
) STRICT;
`

const stops = `
CREATE TABLE wf_attempts (
  job_key INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  worker_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  failure_category TEXT,
  non_retryable INTEGER NOT NULL CHECK (non_retryable IN (0, 1)),
  backoff_ms INTEGER,
  next_run_at INTEGER,
  PRIMARY KEY (job_key, attempt, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_key INTEGER NOT NULL,
  type TEXT NOT NULL,
  kind TEXT NOT NULL,
  error TEXT NOT NULL CHECK (json_valid(error)),
  fingerprint TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT,
  resolution TEXT,
  reason TEXT,
  CHECK ((resolved_at IS NULL) = (resolution IS NULL))
) STRICT;
CREATE UNIQUE INDEX wf_incidents_one_open ON wf_incidents (job_key) WHERE resolved_at IS NULL;
CREATE INDEX wf_incidents_open ON wf_incidents (id) WHERE resolved_at IS NULL;
CREATE INDEX wf_incidents_job ON wf_incidents (job_key);

CREATE TABLE wf_poison_jobs (
  job_key INTEGER PRIMARY KEY,
  job_type TEXT NOT NULL,
  process_instance_key INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('poison', 'exhausted')),
  error_code TEXT,
  error_message TEXT NOT NULL,
  error TEXT NOT NULL CHECK (json_valid(error)),
  variables TEXT NOT NULL, -- a copy as it was, readable or not
  received_at INTEGER NOT NULL,
  count INTEGER NOT NULL DEFAULT 1,
  closed_at INTEGER,
  closed_by TEXT,
  resolution TEXT,
  close_reason TEXT,
  CHECK ((closed_at IS NULL) = (resolution IS NULL))
) STRICT;
CREATE INDEX wf_poison_jobs_open ON wf_poison_jobs (received_at, job_key) WHERE closed_at IS NULL;
CREATE INDEX wf_poison_jobs_received ON wf_poison_jobs (received_at, job_key);

CREATE TABLE wf_history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_key INTEGER,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  who TEXT NOT NULL,
  reason TEXT,
  detail TEXT CHECK (detail IS NULL OR json_valid(detail))
) STRICT;
CREATE INDEX wf_history_job ON wf_history (job_key);
`

const around = `
CREATE TABLE wf_idempotency_keys (
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  job_key INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (type, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX wf_idempotency_keys_created ON wf_idempotency_keys (created_at);
CREATE INDEX wf_idempotency_keys_job ON wf_idempotency_keys (job_key);

CREATE TABLE wf_types (
  type TEXT PRIMARY KEY,
  timeout_ms INTEGER, -- null until a worker has declared the type
  concurrency INTEGER,
  retries INTEGER,
  backlog_limit INTEGER,
  on_exhausted TEXT,
  declared_at INTEGER,
  paused_at INTEGER,
  paused_by TEXT,
  pause_reason TEXT,
  bad_streak INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_workers (
  id TEXT PRIMARY KEY,
  label TEXT NOT NULL,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'draining')),
  concurrency INTEGER NOT NULL,
  types TEXT NOT NULL CHECK (json_valid(types)),
  quarantine INTEGER NOT NULL CHECK (quarantine IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_stats (
  minute INTEGER NOT NULL,
  type TEXT NOT NULL,
  outcome TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  sum_ms REAL NOT NULL,
  PRIMARY KEY (minute, type, outcome, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_counters (
  metric TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  value REAL NOT NULL,
  PRIMARY KEY (metric, labels)
) STRICT, WITHOUT ROWID;
`

export const firstSchema: Migration = {
  version: 1,
  name: 'jobs',
  up(db) {
    db.exec(jobs + stops + around)
    db.prepare('INSERT INTO wf_meta (name, value) VALUES (?, ?)').run('store_id', randomUUID())
  },
}
