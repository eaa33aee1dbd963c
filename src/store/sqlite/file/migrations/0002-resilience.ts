/**
 * Breakers that the processes of a store share, the permits of their probes, and the steps that take effect once.
 * No row is written per call while a breaker is closed, and one intent and one result per step.
 */
import type { Migration } from './migration.ts'

const breakers = `
CREATE TABLE wf_breakers (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  mode TEXT NOT NULL CHECK (mode = 'closed' OR mode = 'half_open' OR mode = 'open'),
  generation INTEGER NOT NULL CHECK (generation > 0),
  requests INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  exclusions INTEGER NOT NULL,
  consecutive_successes INTEGER NOT NULL,
  consecutive_failures INTEGER NOT NULL,
  cause TEXT NOT NULL CHECK (cause = 'calls' OR cause = 'operator'),
  changed_at INTEGER NOT NULL,
  expires_at INTEGER,
  open_for_ms INTEGER NOT NULL CHECK (open_for_ms > 0),
  probes INTEGER NOT NULL CHECK (probes > 0),
  who TEXT NOT NULL,
  reason TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE wf_breaker_permits (
  breaker TEXT NOT NULL,
  permit INTEGER NOT NULL,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (breaker, permit)
) STRICT, WITHOUT ROWID;

ALTER TABLE wf_types ADD COLUMN breakers TEXT CHECK (breakers IS NULL OR json_valid(breakers)); -- those that its calls go through
`

const steps = `
CREATE TABLE wf_worker_idempotency (
  job_key INTEGER NOT NULL,
  step TEXT NOT NULL CHECK (step <> ''),
  attempt INTEGER NOT NULL,
  intent_at INTEGER NOT NULL,
  completed_at INTEGER,
  unknowns INTEGER NOT NULL DEFAULT 0,
  codec INTEGER NOT NULL DEFAULT 0,
  result TEXT CHECK (result IS NULL OR codec <> 0 OR json_valid(result)),
  PRIMARY KEY (job_key, step),
  CHECK ((completed_at IS NULL) = (result IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX wf_worker_idempotency_open ON wf_worker_idempotency (job_key, step) WHERE completed_at IS NULL;

ALTER TABLE wf_job_data ADD COLUMN effects_epoch INTEGER NOT NULL DEFAULT 0;
`

export const resilienceSchema: Migration = {
  version: 2,
  name: 'resilience',
  up(db) {
    db.exec(breakers + steps)
  },
}
