import { beginOperation, resolveJobs } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { checkInvariants, checkInvariantsOf } from '../../src/store/sqlite/check-invariants.ts'
import { outcomes, sceneOn } from '../support/store-scene.ts'
import { dbOf, openScene, ownFile } from '../support/store-sqlite.ts'

/** Jobs 1 completed, 2 failed, 3 poison, 4 running, 5 waiting, 6 available, 7 made due by operation 1. */
async function furnished(path = ':memory:') {
  const scene = sceneOn(await openScene(path))
  const { enqueue, claim, settle, add } = scene
  await enqueue({}, {}, {}, {})
  const [one, two, three] = await claim({ limit: 4 })
  if (!one || !two || !three) throw new Error('not claimed')
  await settle(one, outcomes.success({ r: 1 }))
  await settle(two, outcomes.raised())
  await settle(three, outcomes.poison())
  await add({ delay: '1h' })
  await add()
  const named = { verb: 'retry', who: 'ada', selector: '7', reason: null, flags: {}, matched: 1 } as const
  const operation = await beginOperation(scene.store, named, scene.now())
  const waiting = await add({ delay: '1h' })
  await resolveJobs(
    scene.store,
    [{ jobKey: waiting, verb: 'retry', who: 'ada', reason: null, operation }],
    scene.now(),
  )
  const db = dbOf(scene.store)
  db.pragma('ignore_check_constraints = ON')
  return { ...scene, db }
}

const breaks: readonly [string, string][] = [
  [
    "UPDATE wf_incidents SET resolved_at = 1, resolution = 'resolve' WHERE job_key = 2",
    'job 2 is failed and has not exactly one open incident',
  ],
  ["UPDATE wf_jobs SET state = 'available' WHERE key = 2", 'job 2 has an open incident and is not failed'],
  ["UPDATE wf_jobs SET state = 'dead' WHERE key = 6", 'job 6 is dead and has no open dead letter'],
  [
    "UPDATE wf_jobs SET state = 'cancelled', finished_at = 1 WHERE key = 3",
    'job 3 has an open dead letter and is neither dead nor failed',
  ],
  ['DELETE FROM wf_poison_jobs', 'job 3 is poison and its open incident has no open dead letter'],
  ['UPDATE wf_jobs SET run_until = NULL WHERE key = 4', 'job 4 runs without worker or end'],
  ['UPDATE wf_jobs SET run_until = 5 WHERE key = 6', 'job 6 has an end of its claim and does not run'],
  [
    'UPDATE wf_jobs SET finished_at = NULL WHERE key = 1',
    'job 1 has ended without an instant, or has one without having ended',
  ],
  [
    'UPDATE wf_jobs SET wait_reason = NULL WHERE key = 5',
    'job 5 waits without a reason, or has one without waiting',
  ],
  ['UPDATE wf_jobs SET retries = -1 WHERE key = 6', 'job 6 has a negative count'],
  ['DELETE FROM wf_job_data WHERE job_key = 6', 'job 6 has no variables'],
  [
    "UPDATE wf_jobs SET state = 'available', finished_at = NULL WHERE key = 1",
    'job 1 has a result and is not completed',
  ],
  [
    'UPDATE wf_attempts SET attempt = 9 WHERE job_key = 2',
    'job 2 has a row for an attempt that it has not reached',
  ],
  [
    "INSERT INTO wf_attempts SELECT job_key, attempt, 'lost', worker_id, 1, 1, NULL, NULL, 0, NULL, NULL FROM wf_attempts WHERE job_key = 2",
    'job 2 has an attempt that ended in more than one way',
  ],
  [
    "INSERT INTO wf_attempts VALUES (1, 1, 'fail', 'w', 1, 1, NULL, NULL, 0, NULL, NULL)",
    'job 1 is completed by an attempt that ended otherwise too',
  ],
  ['UPDATE wf_operations SET changed = 0', 'operation 1 has counts that its targets do not bear out'],
  ['UPDATE wf_operations SET matched = 0', 'operation 1 has more targets than were meant'],
  ['DELETE FROM wf_operations', 'wf_operation_targets has a row of operation 1, which does not exist'],
  ['DELETE FROM wf_jobs WHERE key = 1', 'wf_results has a row of job 1, which does not exist'],
]

describe('checkInvariants', () => {
  it('finds nothing in a store that was only used through its port', async () => {
    const path = ownFile()
    const { db } = await furnished(path)
    expect(checkInvariants(db)).toEqual([])
    expect(checkInvariantsOf(path)).toEqual([])
  })

  it.each(breaks)('says after `%s`: %s', async (sql, sentence) => {
    const { db, faults } = await furnished()
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0)
    expect(checkInvariants(db)).toContain(sentence)
    expect(faults()).toContain(sentence)
  })

  it('finds damage of the file itself', async () => {
    const { db } = await furnished()
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    db.prepare(
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'wf_jobs_failed') WHERE name = 'wf_jobs_dead'",
    ).run()
    db.pragma('writable_schema = RESET')
    expect(checkInvariants(db).some((fault) => fault.startsWith('SQLite finds damage'))).toBe(true)
  })
})
