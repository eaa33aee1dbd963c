import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { outcomes, testEngine } from '../support/test-engine.ts'

/** Moves one job from running to waiting and back as fast as it can, on a connection and in a thread of its own, until it is told to stop. */
const mover = `
  const { parentPort, workerData } = require('node:worker_threads')
  const Database = require('better-sqlite3')
  const db = new Database(workerData.location, { timeout: 120_000 })
  const there = db.prepare("UPDATE wf_jobs SET state = 'waiting', wait_reason = 'backoff', run_until = NULL WHERE key = ?")
  const back = db.prepare("UPDATE wf_jobs SET state = 'running', wait_reason = NULL, run_until = 9e12, worker_id = 'w#1' WHERE key = ?")
  const [stop, moves] = [0, 1]
  const shared = new Int32Array(workerData.shared)
  while (Atomics.load(shared, stop) === 0) (Atomics.add(shared, moves, 1) % 2 === 0 ? there : back).run(workerData.key)
  db.close()
  parentPort.postMessage('done')
`

it('counts of one call are one moment: a job that moves meanwhile is in exactly one state', async () => {
  const t = await testEngine({ file: true })
  const key = await t.add()
  const other = await t.add()
  await t.join('w#1')
  const jobs = await t.claim({ limit: 2 })
  for (const job of jobs) if (job.key === other) await t.settle(job, outcomes.success())
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(mover, {
    eval: true,
    workerData: { location: t.location, key, shared: shared.buffer },
  })
  const ended = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const seen = new Set<string>()
  // The thread may start late, and the disk take its time with each move.
  for (let look = 0; look < 3_000 || (shared[1] ?? 0) <= 10 || seen.size < 2; look++) {
    const [view] = await t.store.types(t.store.now())
    const counts = await t.store.counts()
    for (const { running = 0, waiting = 0 } of [view?.counts ?? {}, counts]) {
      expect(running + waiting).toBe(1)
      seen.add(running === 1 ? 'running' : 'waiting')
    }
    expect(await t.store.hasPending(['mail'], t.store.now())).toBe(true)
  }
  Atomics.store(shared, 0, 1)
  await ended
})
