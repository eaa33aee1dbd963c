/** What can be done about a job, as commands to copy. */
import type { ResolutionVerb } from '../domain/resolution.ts'
import { isUnknown } from '../domain/step.ts'
import type { InspectedDetail } from '../engine/inspector.ts'
import type { Step } from './sections.ts'

const commands: Readonly<Record<ResolutionVerb, string>> = {
  resolve: 'incidents resolve',
  retry: 'jobs retry',
  dlq_retry: 'dlq retry',
  cancel: 'jobs cancel',
  discard: 'dlq discard',
  update: 'jobs update',
}

/** `suffix` names the store where it is not the usual one. */
export function stepsOf({
  job,
  openIncident,
  suffix,
  ...detail
}: InspectedDetail & { suffix: string }): readonly Step[] {
  const ways = detail.nextSteps.map(({ verb, why }) => {
    const mending = verb === 'resolve' && openIncident?.kind === 'poison_message' ? ' --set PATH=VALUE' : ''
    return { command: `wf ${commands[verb]} ${job.key}${mending}${suffix}`, why }
  })
  return [...doubtsOf({ job, steps: detail.steps, suffix }), ...ways]
}

/** Where nobody knows whether a step took effect, that is looked at first. */
export function doubtsOf({
  job,
  steps,
  suffix,
}: Pick<InspectedDetail, 'job' | 'steps'> & { suffix: string }): readonly Step[] {
  const names = steps.filter((step) => isUnknown(step, job)).map(({ step }) => step)
  if (names.length === 0) return []
  return [
    {
      command: `wf idempotency show ${job.key}${suffix}`,
      why: `whether ${names.join(', ')} took effect is not known: the other side knows`,
    },
  ]
}
