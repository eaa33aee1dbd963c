/** From the flags of a verb to the change that its action plans. */
import type { Resolution, VariableChange } from '../../domain/resolution.ts'
import type { JobChange } from '../../engine/actions/change-jobs.ts'
import { given } from '../../text/json.ts'

export interface JobChangeFlags {
  retries?: number | undefined
  set?: readonly Omit<VariableChange, 'add'>[] | undefined
  add?: boolean
  'new-effects'?: boolean
  reason?: string | undefined
  priority?: number | undefined
  at?: number | undefined
}

export function jobChange(
  verb: Resolution['verb'],
  { retries, set, add = false, reason, priority, at, ...flags }: JobChangeFlags,
): JobChange {
  return given<JobChange>({
    ...{ verb, retries, priority, runAt: at },
    set: set?.map((change) => ({ ...change, add })),
    newEffects: flags['new-effects'] || undefined,
    reason: reason ?? null,
  })
}
