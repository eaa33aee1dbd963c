/** What can be done about a job, as commands to copy. */
import type { Incident } from '../domain/incident.ts'
import type { Job } from '../domain/job.ts'
import type { ResolutionVerb } from '../domain/resolution.ts'
import { nextSteps } from '../engine/next-steps.ts'
import type { Step } from './sections.ts'

const commands: Readonly<Record<ResolutionVerb, string>> = {
  resolve: 'incidents resolve',
  retry: 'jobs retry',
  dlq_retry: 'dlq retry',
  cancel: 'jobs cancel',
  discard: 'dlq discard',
}

/** `suffix` names the store where it is not the usual one. */
export function stepsOf({ job, openIncident, suffix }: { job: Job; openIncident: Incident | null; suffix: string }): readonly Step[] {
  return nextSteps(job, openIncident).map(({ verb, why }) => {
    const mending = verb === 'resolve' && openIncident?.kind === 'poison_message' ? ' --set PATH=VALUE' : ''
    return { command: `wf ${commands[verb]} ${job.key}${mending}${suffix}`, why }
  })
}
