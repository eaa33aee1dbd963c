/** A resolution that is watched until its jobs came through, failed again, or cannot start. */
import type { Applied } from '../domain/resolution.ts'
import type { Verdict } from '../domain/rerun-result.ts'
import type { Held } from '../engine/inspector.ts'
import { parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import type { ActionContext } from '../engine/actions/action.ts'
import { applyAndVerify, planJobs } from '../engine/actions/change-jobs.ts'
import type { VerifiedEnd } from '../engine/canary-rollout.ts'
import { isThrough, type Verification } from '../engine/watch-outcomes.ts'
import { paceOf, partlyChanged, type ResolveOptions } from './changes.ts'

export interface VerifyOptions extends Omit<ResolveOptions, 'dryRun'> {
  /** How long to wait for what becomes of them, at most: milliseconds, or text such as `2m`. */
  verify: number | string
  /** So many are resolved first, spread over the causes, and the others only when all of those came through; 1 … 1,000. Unset: all at once. */
  canary?: number
  /** Stops between two transactions, and ends the wait. */
  signal?: AbortSignal
}

export interface VerifiedResolution {
  /** Its number: `undo` takes it back. Null where there was no key, and so nothing to do. */
  readonly operation: number | null
  /** What became of each that was reached; the others are as they were. */
  readonly applied: readonly Applied[]
  /** Keys of the canaries; null when all were resolved at once. */
  readonly canaries: readonly number[] | null
  /** The others were resolved too; always true without canaries. */
  readonly hasGoneOn: boolean
  /** `all`: nothing is left to be seen. `early`: a canary did not come through. `held`: what is left cannot start. */
  readonly ended: Verification['ended']
  /** Somebody was waited for, and every one of them was seen to complete or to be rejected. */
  readonly isProven: boolean
  readonly seen: readonly { readonly key: number; readonly verdict: Verdict }[]
  /** Not seen to end, and what holds them. */
  readonly unfinished: readonly { readonly key: number; readonly held: Held | null }[]
}

const mostCanaries = 1_000

/** Rejects with a WfError: `usage`, `partly_done`, or the store's when nothing was changed. */
export async function resolveVerified(
  actions: ActionContext,
  keys: readonly number[],
  options: VerifyOptions,
): Promise<VerifiedResolution> {
  const { verify, canary = null, rate, signal, reason = null, ...chosen } = options
  const verifyMs = parseDuration(verify, 'verify')
  if (canary !== null && !(Number.isSafeInteger(canary) && canary >= 1 && canary <= mostCanaries))
    throw new WfError('usage', `canary is ${canary}`, {
      hint: `give a whole number from 1 to ${mostCanaries}`,
    })
  const distinct = [...new Set(keys)]
  if (distinct.length === 0) return nothingToDo
  const change = { ...chosen, verb: 'resolve', reason } as const
  const input = { change, list: 'incidents', keys: distinct, selector: {} } as const
  const plan = await planJobs(actions.engine.reader, input)
  const end = await applyAndVerify(actions, plan, { canary, verifyMs, signal, perSecond: paceOf(rate) })
  const { verification, failure } = end
  if (failure !== null || verification === null) throw partlyChanged(end.applied, distinct.length, failure)
  return resolutionOf(end, verification)
}

const nothingToDo: VerifiedResolution = {
  ...{ operation: null, applied: [], canaries: null, hasGoneOn: true, ended: 'all', isProven: false },
  ...{ seen: [], unfinished: [] },
}

function resolutionOf(
  { operation, applied, choice, hasGoneOn }: VerifiedEnd,
  { ended, seen, unfinished }: Verification,
): VerifiedResolution {
  return {
    ...{ operation, applied, hasGoneOn, ended },
    canaries: choice?.canaries.map(({ jobKey }) => jobKey) ?? null,
    isProven: ended === 'all' && seen.length > 0 && seen.every(({ verdict }) => isThrough(verdict)),
    seen: seen.map(({ target, verdict }) => ({ key: target.jobKey, verdict })),
    unfinished: unfinished.map(({ target, held }) => ({ key: target.jobKey, held })),
  }
}
