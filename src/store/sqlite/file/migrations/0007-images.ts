/**
 * What an operation keeps of a job, its variables among it, goes with the job: an index finds it there, and what is left of
 * jobs that went before is taken away.
 */
import type { Migration } from './migration.ts'

const images = `
CREATE INDEX wf_operation_targets_images ON wf_operation_targets (job_key) WHERE image IS NOT NULL;
UPDATE wf_operation_targets SET image = NULL WHERE image IS NOT NULL AND job_key > 0
  AND NOT EXISTS (SELECT 1 FROM wf_jobs j WHERE j.key = wf_operation_targets.job_key);
UPDATE wf_operations SET flags = json_set(flags, '$.set', json((SELECT json_group_array(json_remove(json(s.value), '$.value')) FROM json_each(flags, '$.set') s)))
  WHERE json_type(flags, '$.set') = 'array'
  AND NOT EXISTS (SELECT 1 FROM wf_operation_targets t WHERE t.operation_id = wf_operations.id AND t.image IS NOT NULL);
`

export const imagesSchema: Migration = {
  version: 7,
  name: 'images',
  up(db) {
    db.exec(images)
  },
}
