/** From the flags of a verb to what the engine is told. */
import type { Resolution, VariableChange } from '../../domain/resolution.ts'
import { given } from '../../text/omit-undefined.ts'
import { who } from '../input/actor.ts'

export interface ResolutionFlags {
  retries?: number | undefined
  set?: readonly Omit<VariableChange, 'add'>[] | undefined
  add?: boolean
  'new-effects'?: boolean
  reason?: string | undefined
  priority?: number | undefined
  at?: number | undefined
}

export function resolutionOf(
  verb: Resolution['verb'],
  { retries, set, add = false, reason, priority, at, ...flags }: ResolutionFlags,
): Omit<Resolution, 'jobKey'> {
  const changes = set?.map((change) => ({ ...change, add }))
  return given<Omit<Resolution, 'jobKey'>>({
    verb,
    retries,
    priority,
    runAt: at,
    set: changes,
    newEffects: flags['new-effects'] || undefined,
    who: who(),
    reason: reason ?? null,
  })
}
