/** Forgets steps of a job, because a person asked for it. */
import type { ForgetSteps } from '../../domain/step.ts'
import type { NewTarget } from '../../domain/operation.ts'
import { combined, planOf } from '../../store/plan.ts'
import { operationFact, recorded } from './targets.ts'

/** Answers the names of the forgotten steps: their effects can then happen again. */
export const forgetSteps = planOf<ForgetSteps, readonly string[]>({
  key: ({ jobKey }) => jobKey,
  facts: (forget) => combined([{ effects: [forget.jobKey] }, operationFact(forget)]),
  plan(forget, facts, now) {
    const { jobKey, step, who, reason } = forget
    const all = facts.effects.get(jobKey)?.steps ?? []
    const steps = all.filter((name) => step === null || name === step).sort()
    const target = (name: string, status: NewTarget['status'], why = ''): NewTarget => ({
      ...{ jobKey, name, status, why, image: null },
    })
    const targets =
      steps.length > 0
        ? steps.map((name) => target(name, 'changed'))
        : [target(step ?? '', 'skipped', `job ${jobKey} has no such step`)]
    const event = { event: 'steps_forgotten', jobKey, at: now, who, reason, detail: { steps } } as const
    return {
      answer: steps,
      changes: combined([
        {
          removedSteps: steps.map((name) => ({ jobKey, step: name })),
          history: steps.length > 0 ? [event] : [],
        },
        recorded(forget, { facts, now }, targets),
      ]),
    }
  },
})
