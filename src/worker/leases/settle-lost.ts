/** Settles the attempts of workers that can no longer report. */
import type { Job } from '../../domain/job.ts'
import type { Outcome, Policy } from '../../domain/outcome.ts'
import { jobName } from '../job-messages.ts'
import type { Engine } from '../../engine/engine.ts'
import { fallbackPolicy } from '../../engine/fallback-policy.ts'

/** Policies by type, as the workers declared them. */
export type Policies = ReadonlyMap<string, Policy>

/** Settles every attempt that the worker still holds with `outcome`. Returns the jobs whose attempt this ended. */
export async function settleHeld(options: {
  engine: Engine
  workerId: string
  policies: Policies
  outcome: (job: Job, all: readonly Job[]) => Outcome
}): Promise<readonly Job[]> {
  const { engine, workerId, policies, outcome } = options
  const jobs = await engine.reader.running(workerId)
  if (jobs.length === 0) return []
  const now = engine.now()
  const { settled } = await engine.exchange({
    ended: jobs.map((job) => ({
      job,
      outcome: outcome(job, jobs),
      policy: policies.get(job.type) ?? fallbackPolicy,
      children: [],
      durationMs: Math.max(0, now - (job.startedAt ?? now)),
    })),
  })
  return jobs.filter((_, index) => settled[index] === 'applied')
}

export function lost(reason: 'lease_expired' | 'worker_died', detail: string): Outcome {
  return { kind: 'lost', reason, detail }
}

export function interrupted(reason: string): Outcome {
  return { kind: 'interrupted', reason }
}

/** Outcome of the only job of a process that was killed because it did not answer. */
export function hung(timeoutMs: number): Outcome {
  const message = `the handler blocked its process beyond its timeout of ${timeoutMs} ms and was killed with it`
  return {
    kind: 'fail',
    category: 'hung',
    error: { name: 'TimeoutError', message, code: 'WF_HUNG', stack: null, causes: [], truncated: false },
  }
}

/** `charge-payment #17, send-mail #18 and 3 more`: for one log line. */
export function namesOf(jobs: readonly Job[], most = 10): string {
  const named = jobs.slice(0, most).map(jobName)
  return jobs.length > most ? `${named.join(', ')} and ${jobs.length - most} more` : named.join(', ')
}
