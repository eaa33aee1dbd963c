/**
 * Pauses types and resumes them. A timed pause ends by itself at its end, whoever reads it; the next plan that changes
 * the type writes that end down. After each pause the jobs of the type start on a ramp, over all workers.
 */
import type { NewTarget, PauseImage } from '../../domain/operation.ts'
import type { Changes } from '../../store/changes.ts'
import type { TypeFact } from '../../store/facts.ts'
import { combined, planOf } from '../../store/plan.ts'
import { namedTarget, operationFact, recorded, type OfOperation } from './targets.ts'

export interface PauseChange extends OfOperation {
  /** False: resumes. */
  paused: boolean
  reason: string | null
  who: string
  /** Epoch ms at which a pause ends by itself (default: null, someone has to resume the type). */
  untilAt?: number | null
}

/** Answers whether the state of the type changed; another end of a pause is a change. */
export const pauseType = planOf<PauseChange & { type: string }, boolean>({
  key: ({ type }) => type,
  facts: (change) => combined([{ types: [change.type] }, operationFact(change)]),
  plan(change, facts, now) {
    const { type, paused } = change
    const before = facts.types.get(type)
    const { changed, changes, fact } = paused ? pause(before, change, now) : resume(before, change, now)
    const target: NewTarget = changed
      ? namedTarget(type, 'changed', {
          image: { of: 'type', before: pauseImage(before), after: pauseImage(fact) },
        })
      : namedTarget(type, 'skipped', { why: `${type} was ${paused ? 'paused' : 'not paused'} already` })
    return { answer: changed, changes: combined([changes, recorded(change, { facts, now }, [target])]) }
  },
})

/** Jobs of a type that started where only so many may: counted against its ramp. */
export const countRampStarts = planOf<{ type: string; count: number }, null>({
  key: ({ type }) => type,
  facts: ({ type }) => ({ types: [type] }),
  plan({ type, count }, facts, now) {
    const { changes } = untilNow(type, facts.types.get(type), now)
    return { answer: null, changes: { ...changes, rampStarts: [{ type, count }] } }
  },
})

type Pausing = Pick<PauseChange, 'who' | 'reason' | 'untilAt'> & { type: string }

export interface PauseResult {
  changed: boolean
  changes: Changes
  fact: TypeFact | undefined
}

export function pause(found: TypeFact | undefined, pausing: Pausing, now: number): PauseResult {
  const { type, who, reason, untilAt = null } = pausing
  const { changes, fact } = untilNow(type, found, now)
  if (fact && fact.pausedAt !== null && fact.pausedUntil === untilAt) return { changed: false, changes, fact }
  const next: TypeFact = {
    ...(fact ?? unpaused),
    ...{ pausedAt: fact?.pausedAt ?? now, pausedUntil: untilAt, pausedBy: who, pauseReason: reason },
  }
  const detail = { type, ...(untilAt !== null && { untilAt }) }
  const written: Changes = {
    pauses: [{ type, ...pauseImage(next) }],
    history: [{ event: 'type_paused', jobKey: null, at: now, who, reason, detail }],
  }
  return { changed: true, changes: combined([changes, written]), fact: next }
}

function resume(found: TypeFact | undefined, pausing: Pausing, now: number): PauseResult {
  const { type, who, reason } = pausing
  const { changes, fact } = untilNow(type, found, now)
  if (!fact || fact.pausedAt === null) return { changed: false, changes, fact }
  const ended = end(type, { who, reason, at: now })
  return { changed: true, changes: combined([changes, ended.changes]), fact: ended.fact }
}

/** What is left of a type whose timed pause may be over. */
function untilNow(
  type: string,
  fact: TypeFact | undefined,
  now: number,
): { changes: Changes; fact: TypeFact | undefined } {
  const until = fact?.pausedUntil ?? null
  return fact && fact.pausedAt !== null && until !== null && until <= now
    ? end(type, { who: 'wf', reason: 'its time was over', at: until })
    : { changes: {}, fact }
}

function end(
  type: string,
  { who, reason, at }: { who: string; reason: string | null; at: number },
): { changes: Changes; fact: TypeFact } {
  return {
    changes: {
      pauses: [{ type, ...pauseImage(unpaused) }],
      ramps: [{ type, at, started: 0 }],
      history: [{ event: 'type_resumed', jobKey: null, at, who, reason, detail: { type } }],
    },
    fact: { ...unpaused, resumedAt: at },
  }
}

const unpaused: TypeFact = {
  ...{ pausedAt: null, pausedBy: null, pauseReason: null, pausedUntil: null, badStreak: 0 },
  ...{ resumedAt: null, resumedStarts: 0 },
}

function pauseImage({
  pausedAt,
  pausedBy,
  pauseReason,
  pausedUntil,
  badStreak,
}: PauseImage = unpaused): PauseImage {
  return { pausedAt, pausedBy, pauseReason, pausedUntil, badStreak }
}
