/** Stops jobs whose deadline passed while they waited. */
import type { NewIncident } from '../../domain/outcome.ts'
import { jobImage } from '../../domain/undo.ts'
import { planOf } from '../../store/plan.ts'

export interface Stop {
  jobKey: number
  incident: NewIncident
}

/** Answers false if the job has started, ended or got another deadline meanwhile. */
export const stop = planOf<Stop, boolean>({
  key: ({ jobKey }) => jobKey,
  facts: ({ jobKey }) => ({ jobs: [jobKey] }),
  plan({ jobKey, incident }, facts, now) {
    const job = facts.jobs.get(jobKey)
    const waits = job?.state === 'available' || job?.state === 'waiting'
    if (!job || !waits || job.deadlineAt === null || job.deadlineAt >= now)
      return { answer: false, changes: {} }
    const { type, attempt } = job
    return {
      answer: true,
      changes: {
        jobs: [{ ...jobImage(job), key: jobKey, state: 'failed', waitReason: null }],
        openedIncidents: [{ jobKey, type, attempt, incident, at: now }],
      },
    }
  },
})
