/**
 * Gives up on a worker because a person knows that it is dead: what it held ends as lost at once, its row goes, who and
 * why is kept. It does not judge whether the worker lives. Breaking off on the way is harmless: attempts whose worker
 * has no row are expired, and the sweeper takes them.
 */
import type { Job } from '../domain/job.ts'
import type { Outcome } from '../domain/outcome.ts'
import { writer, type Engine } from './engine.ts'
import { fallbackPolicy } from './fallback-policy.ts'
import { retireWorkers, type WorkerRelease } from './plans/workers.ts'
import { transactOne } from './transact-one.ts'

/** Answers the jobs whose attempt was ended by this. */
export async function releaseWorker(
  engine: Engine,
  workerId: string,
  release: WorkerRelease,
): Promise<readonly Job[]> {
  const lost = await loseHeld(engine, workerId, release)
  await transactOne(engine[writer], retireWorkers, { id: workerId, release })
  // One that lives all the same may have claimed since.
  return [...lost, ...(await loseHeld(engine, workerId, release))]
}

async function loseHeld(
  engine: Engine,
  workerId: string,
  { who, reason }: WorkerRelease,
): Promise<readonly Job[]> {
  const jobs = await engine.reader.running(workerId)
  if (jobs.length === 0) return []
  const now = engine.reader.now()
  const detail = `worker ${workerId} was released by ${who}${reason === null ? '' : `: ${reason}`}`
  const outcome: Outcome = { kind: 'lost', reason: 'released', detail }
  const { settled } = await engine.exchange({
    ended: jobs.map((job) => ({
      job,
      outcome,
      policy: fallbackPolicy,
      children: [],
      durationMs: Math.max(0, now - (job.startedAt ?? now)),
    })),
  })
  return jobs.filter((_, index) => settled[index] === 'applied')
}
