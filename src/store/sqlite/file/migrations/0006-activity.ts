/** Attempts that did not succeed, by the time of their end: for those who watch. Successes leave no row here, so they pay nothing for it. */
import type { Migration } from './migration.ts'

export const activitySchema: Migration = {
  version: 6,
  name: 'activity',
  up(db) {
    db.exec('CREATE INDEX wf_attempts_finished ON wf_attempts (finished_at)')
  },
}
