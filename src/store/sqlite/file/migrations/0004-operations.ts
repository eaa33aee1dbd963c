/**
 * What people change, and with each change its targets: what became of each and what it was before.
 * A target's row and the counts of its operation are written in the transaction of the change itself, so that a process
 * that ends in the middle leaves an exact record. Nothing of it is touched by workers.
 */
import type { Migration } from './migration.ts'

const operations = `
CREATE TABLE wf_operations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL CHECK (verb <> ''),
  who TEXT NOT NULL,
  selector TEXT NOT NULL, -- in words
  reason TEXT,
  flags TEXT NOT NULL CHECK (json_valid(flags)),
  matched INTEGER NOT NULL CHECK (matched >= 0),
  changed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  touched_at INTEGER NOT NULL,
  finished_at INTEGER,
  undoes INTEGER,
  undone_by INTEGER,
  CHECK ((verb = 'undo') = (undoes IS NOT NULL))
) STRICT;
CREATE INDEX wf_operations_at ON wf_operations (at);

CREATE TABLE wf_operation_targets (
  operation_id INTEGER NOT NULL,
  job_key INTEGER NOT NULL, -- 0 for what is no job
  name TEXT NOT NULL, -- of a type, breaker or worker, or of a job's step; '' for a job
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'changed' OR status = 'skipped' OR status = 'failed' OR status = 'not_found'),
  why TEXT NOT NULL,
  image TEXT CHECK (image IS NULL OR json_valid(image)),
  undone_by INTEGER,
  CHECK (job_key > 0 OR name <> '')
) STRICT;
CREATE UNIQUE INDEX wf_operation_targets_one ON wf_operation_targets (operation_id, job_key, name);
`

export const operationsSchema: Migration = {
  version: 4,
  name: 'operations',
  up(db) {
    db.exec(operations)
  },
}
