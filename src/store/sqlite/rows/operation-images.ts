/** What operations keep of jobs: it goes with the job that it is about, and no longer than that job is it of use to an undo. */
import type { Connection } from '../file/connection.ts'

/** Of a `--set` its path stays: who changed what is told until the operation itself goes. */
const withoutValues = `json_set(flags, '$.set', json((SELECT json_group_array(json_remove(json(s.value), '$.value')) FROM json_each(flags, '$.set') s)))`

/** Takes away the images of the jobs whose keys stand in a JSON list; and what an operation set, once the last of its jobs is gone. */
export function imageRemover(db: Connection): (keys: string) => void {
  const images = db
    .prepare<
      [string],
      number
    >(`UPDATE wf_operation_targets INDEXED BY wf_operation_targets_images SET image = NULL
      WHERE image IS NOT NULL AND job_key IN (SELECT value FROM json_each(?)) RETURNING operation_id`)
    .pluck()
  // The youngest job is usually the last to go: looked at first, it answers at once.
  const isKept = db.prepare<[number], number>(
    'SELECT 1 FROM wf_operation_targets INDEXED BY wf_operation_targets_one WHERE operation_id = ? AND image IS NOT NULL ORDER BY job_key DESC LIMIT 1',
  )
  const strip = db.prepare(
    `UPDATE wf_operations SET flags = ${withoutValues} WHERE id = ? AND json_type(flags, '$.set') = 'array'`,
  )
  return (keys) => {
    for (const id of new Set(images.all(keys))) if (isKept.get(id) === undefined) strip.run(id)
  }
}
