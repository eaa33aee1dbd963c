/** Changes of a breaker's row. What an event makes of a breaker is decided in resilience; each turn is kept in the history. */
import type { BreakerChange, BreakerRow, NamedBreaker } from '../../domain/breaker-row.ts'
import type { BreakerImage } from '../../domain/operation.ts'
import type { Changes } from '../../store/changes.ts'
import { combined, planOf } from '../../store/plan.ts'
import { namedTarget, operationFact, recorded } from './targets.ts'

/** Answers the breaker as it is afterwards; null if it has no row and `apply` made none. */
export const changeBreaker = planOf<BreakerChange, NamedBreaker | null>({
  key: ({ name }) => name,
  facts: (change) => combined([{ breakers: [change.name] }, operationFact(change)]),
  plan(change, facts, now) {
    const { name, who, reason, apply } = change
    const before = facts.breakers.get(name) ?? null
    const applied = apply(before)
    const { row: after, changes } =
      applied === null || applied === before
        ? { row: before, changes: {} }
        : turned(before, applied, { name, who, reason, now })
    const target =
      after !== null && after.generation !== before?.generation
        ? namedTarget(name, 'changed', { image: breakerImage(before, after) })
        : namedTarget(name, 'skipped', { why: `${name} was so already` })
    return { answer: after, changes: combined([changes, recorded(change, { facts, now }, [target])]) }
  },
})

/** The row to store. `who` and `reason` stay those of the last turn unless it turns now. */
export function turned(
  before: NamedBreaker | null,
  after: BreakerRow,
  { name, who, reason, now }: { name: string; who: string; reason: string | null; now: number },
): { row: NamedBreaker; changes: Changes } {
  // An open breaker that lets probes through has not turned: its time has passed.
  const turns = after.generation !== (before?.generation ?? 0) && after.mode !== 'half_open'
  const row: NamedBreaker = {
    ...after,
    name,
    ...(turns ? { who, reason } : { who: before?.who ?? who, reason: before?.reason ?? null }),
  }
  if (!turns) return { row, changes: { breakers: [row] } }
  const { mode, generation, by, expiresAt } = row
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

const uncounted = {
  ...{ requests: 0, successes: 0, failures: 0, exclusions: 0 },
  ...{ consecutiveSuccesses: 0, consecutiveFailures: 0 },
}

/** A breaker that let probes through is open again with its time over, so that a new probe may go at once. */
export function asBefore(row: BreakerRow, { before }: BreakerImage, now: number): BreakerRow {
  const { generation, terms } = row
  const anew = { generation: generation + 1, counts: uncounted, probes: [], changedAt: now, terms }
  if (before === null || before.mode === 'closed')
    return { ...anew, mode: 'closed', by: 'operator', expiresAt: null }
  return { ...anew, mode: 'open', by: before.by, expiresAt: before.mode === 'open' ? before.expiresAt : now }
}

function breakerImage(before: BreakerRow | null, { generation }: BreakerRow): BreakerImage {
  return {
    of: 'breaker',
    before: before && { mode: before.mode, by: before.by, expiresAt: before.expiresAt },
    generation,
  }
}
