/** Words why a job is where it is, what happens next and when, and which command changes it. */
import type { Explanation, JobFacts } from '../domain/explain-facts.ts'
import { explainAvailable, explainWaiting } from './explain-pending.ts'
import { explainRunning } from './explain-running.ts'
import { explainDead, explainEnded, explainFailed } from './explain-stopped.ts'

export function explain(facts: JobFacts): Explanation {
  switch (facts.job.state) {
    case 'available':
      return explainAvailable(facts)
    case 'waiting':
      return explainWaiting(facts)
    case 'running':
      return explainRunning(facts)
    case 'failed':
      return explainFailed(facts)
    case 'dead':
      return explainDead(facts)
    default:
      return explainEnded(facts)
  }
}
