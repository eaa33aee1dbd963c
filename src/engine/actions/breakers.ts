/** Opens and closes breakers by hand. */
import { closeBreaker, tripBreaker, type Steered } from '../breaker-admin.ts'
import { writer } from '../engine.ts'
import type { ActionContext } from './action.ts'

export interface BreakerPlan {
  name: string
  reason: string | null
}

/** Opens the breaker for `forMs`, whatever its state. Throws a WfError `usage` for a name that no dependency can have. */
export function applyTrip(
  { engine, who }: ActionContext,
  { name, forMs, reason }: BreakerPlan & { forMs: number },
): Promise<Steered> {
  return tripBreaker(engine[writer], name, { forMs, who, reason: reason ?? '' })
}

/** Changes nothing where it is closed already. Throws a WfError `usage` as a trip does. */
export function applyClose({ engine, who }: ActionContext, { name, reason }: BreakerPlan): Promise<Steered> {
  return closeBreaker(engine[writer], name, { who, reason: reason ?? '' })
}
