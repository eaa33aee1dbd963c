import type { ChildJob, Job } from './job.ts'
import type { Outcome, Policy, Settlement } from './outcome.ts'

export interface Decision {
  job: Job
  outcome: Outcome
  policy: Policy
  children: readonly ChildJob[]
  now: number
  /** A number in [0, 1). */
  random: () => number
}

/** The table of the life of a job: what an outcome makes of a job. Pure. */
export declare function decide(decision: Decision): Settlement
