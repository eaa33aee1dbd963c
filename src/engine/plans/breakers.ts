/** Changes the row of a breaker that all workers share. domain/breaker.ts decides what an event does; each opening and closing is kept in the history. */
import { type At, type BreakerState, type BreakerTerms, type Ticket, unopened } from '../../domain/breaker.ts'
import { applyEvent, type BreakerEvent, type NamedBreaker, sharedAt } from '../../domain/breaker-row.ts'
import type { BreakerImage } from '../../domain/operation.ts'
import type { Changes } from '../../store/changes.ts'
import { combined, planOf } from '../../store/plan.ts'
import { namedTarget, operationFact, recorded, type OfOperation } from './targets.ts'

export interface BreakerChange extends OfOperation {
  name: string
  event: BreakerEvent
  /** Of the policy of the worker that reports the event. Absent (an operator): the terms stay. */
  terms?: BreakerTerms
  /** For the history. */
  who: string
  reason: string | null
}

export interface ChangedBreaker {
  /** Afterwards; null if it has no row. */
  breaker: NamedBreaker | null
  /** False if the breaker was left in its generation. */
  changed: boolean
  ticket: Ticket | null
}

/** Terms of a breaker that no worker has opened yet. */
const defaultTerms: BreakerTerms = { openForMs: 30_000, probes: 1 }

export const changeBreaker = planOf<BreakerChange, ChangedBreaker>({
  key: ({ name }) => name,
  facts: (change) => combined([{ breakers: [change.name] }, operationFact(change)]),
  plan(change, facts, now) {
    const { name, event, terms } = change
    const before = facts.breakers.get(name) ?? null
    const at = sharedAt(terms ?? before?.terms ?? defaultTerms, now)
    const { state, ticket } = applyEvent(before ?? unopened, event, at)
    const isSame = state === (before ?? unopened)
    const { row, changes } = isSame ? { row: before, changes: {} } : written(before, state, { ...change, at })
    const changed = row !== null && row.generation !== before?.generation
    const target = changed
      ? namedTarget(name, 'changed', { image: imageOf(before, row) })
      : namedTarget(name, 'skipped', { why: `${name} was so already` })
    return {
      answer: { breaker: row, changed, ticket },
      changes: combined([changes, recorded(change, { facts, now }, [target])]),
    }
  },
})

type Writing = Pick<BreakerChange, 'name' | 'who' | 'reason'> & { at: At }

/** Writes a state. `who` and `reason` of the row stay those of its last opening or closing. */
export function written(
  before: NamedBreaker | null,
  state: BreakerState,
  { name, who, reason, at: { now, rules } }: Writing,
): { row: NamedBreaker; changes: Changes } {
  const { mode, generation, counts, by, changedAt, expiresAt, probes } = state
  // Half-open is no change worth a record: the open period has passed.
  const turns = generation !== (before?.generation ?? 0) && mode !== 'half_open'
  const row: NamedBreaker = {
    ...{ name, mode, generation, counts, by, changedAt, expiresAt, probes },
    terms: { openForMs: rules.openForMs, probes: rules.probes },
    ...(turns || before === null ? { who, reason } : { who: before.who, reason: before.reason }),
  }
  if (!turns) return { row, changes: { breakers: [row] } }
  const event = mode === 'open' ? 'breaker_opened' : 'breaker_closed'
  const detail = {
    ...{ breaker: name, from: before?.mode ?? 'closed', to: mode, generation, by },
    ...(expiresAt !== null && { untilAt: expiresAt }),
  }
  return {
    row,
    changes: { breakers: [row], history: [{ event, jobKey: null, at: now, who, reason, detail }] },
  }
}

function imageOf(before: NamedBreaker | null, { generation }: NamedBreaker): BreakerImage {
  return {
    of: 'breaker',
    before: before && { mode: before.mode, by: before.by, expiresAt: before.expiresAt },
    generation,
  }
}
