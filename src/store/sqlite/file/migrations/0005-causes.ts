/**
 * Incidents by cause. The first index covers what a cause is counted by, so that thousands of open incidents are grouped without
 * reading their errors; resolved_at stands in it because SQLite reads the row for any column that does not. The second knows since
 * when, and how often lately, a fingerprint comes at all.
 */
import type { Migration } from './migration.ts'

export const causesSchema: Migration = {
  version: 5,
  name: 'causes',
  up(db) {
    db.exec(`
CREATE INDEX wf_incidents_open_cause ON wf_incidents (fingerprint, created_at, job_key, kind, resolved_at) WHERE resolved_at IS NULL;
CREATE INDEX wf_incidents_cause ON wf_incidents (fingerprint, created_at);
`)
  },
}
