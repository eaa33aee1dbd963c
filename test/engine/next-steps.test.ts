import { describe, expect, it } from 'vitest'
import {
  guardedIncidentKinds,
  incidentKinds,
  type Incident,
  type IncidentKind,
} from '../../src/domain/incident.ts'
import { jobStates, type Job } from '../../src/domain/job.ts'
import { nextSteps } from '../../src/engine/next-steps.ts'

const job = (state: Job['state']) => ({ state }) as Job
const incident = (kind: IncidentKind) => ({ kind }) as Incident

describe('what can be done next', () => {
  it('offers for each state what leads out of it, and nothing for what is final', () => {
    const verbs = Object.fromEntries(
      jobStates.map((state) => [state, nextSteps(job(state), null).map(({ verb }) => verb)]),
    )
    expect(verbs).toEqual({
      available: ['cancel'],
      waiting: ['retry', 'cancel'],
      running: ['cancel'],
      completed: [],
      rejected: [],
      failed: ['resolve', 'cancel'],
      dead: ['dlq_retry', 'discard'],
      cancelled: [],
    })
  })

  it('warns where running it again as it is would repeat the damage', () => {
    const plain = nextSteps(job('failed'), incident('job_no_retries'))[0]?.why
    const warned = incidentKinds.filter((kind) => nextSteps(job('failed'), incident(kind))[0]?.why !== plain)
    expect(warned.toSorted()).toEqual(guardedIncidentKinds.toSorted())
  })

  // A30
  it('names the steps that may have taken effect wherever it would run again, and nowhere else', () => {
    const doubtful = jobStates.flatMap((state) =>
      nextSteps(job(state), null, ['charge', 'mail']).filter(({ why }) =>
        why.includes('charge, mail may have'),
      ),
    )
    expect(doubtful.map(({ verb }) => verb).toSorted()).toEqual(['dlq_retry', 'resolve', 'retry'])
    const [resolve] = nextSteps(job('failed'), null, ['a', 'b', 'c', 'd', 'e'])
    expect(resolve?.why).toContain('a, b, c and 2 more may have taken effect')
  })
})
