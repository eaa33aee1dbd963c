/**
 * Pauses that end by themselves, and the ramp after any pause: what was started since it ended. What a worker's own
 * breakers hold stands in its row, and goes with it.
 */
import type { Migration } from './migration.ts'

export const timedPauses: Migration = {
  version: 3,
  name: 'timed pauses',
  up(db) {
    db.exec(`
ALTER TABLE wf_types ADD COLUMN paused_until INTEGER; -- null: until somebody resumes it
ALTER TABLE wf_types ADD COLUMN resumed_at INTEGER; -- when its last pause ended
ALTER TABLE wf_types ADD COLUMN resumed_starts INTEGER NOT NULL DEFAULT 0; -- claims since, counted while the ramp lasts
ALTER TABLE wf_workers ADD COLUMN breakers TEXT CHECK (breakers IS NULL OR json_valid(breakers)); -- its own, which it shares with nobody
`)
  },
}
