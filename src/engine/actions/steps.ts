/** Forgets that steps of a job were done, so that its next attempt does them again. */
import { namedTargets } from '../../domain/operation.ts'
import { writer } from '../engine.ts'
import { asOperation } from '../operation-log.ts'
import { forgetSteps } from '../plans/steps.ts'
import type { ActionContext } from './action.ts'

export interface ForgetPlan {
  jobKey: number
  /** Each once. */
  steps: readonly string[]
  reason: string | null
}

export interface Forgotten {
  /** The steps that were there. */
  forgotten: readonly string[]
  /** Null where no step was given. */
  operation: number | null
}

export async function applyForget(
  { engine, who }: ActionContext,
  { jobKey, steps, reason }: ForgetPlan,
): Promise<Forgotten> {
  if (steps.length === 0) return { forgotten: [], operation: null }
  const store = engine[writer]
  const selector = namedTargets([jobKey, ...steps])
  const named = { verb: 'forget' as const, who, reason, selector, flags: {}, matched: steps.length }
  const { result, operation } = await asOperation(store, named, (id) =>
    store.transact(
      forgetSteps,
      steps.map((step) => ({ jobKey, step, who, reason, operation: id })),
      store.now(),
    ),
  )
  return { forgotten: result.flat(), operation: operation.id }
}
