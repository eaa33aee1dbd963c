/**
 * Pauses a type after too many bad outcomes in a row: a broken release must not turn a whole queue into incidents.
 * Follows the settlements of an exchange, in its transaction.
 */
import type { Settlement } from '../../domain/outcome.ts'
import type { Changes } from '../../store/changes.ts'
import { combined, planOf } from '../../store/plan.ts'
import type { Follow } from '../../store/port.ts'
import { countRampStarts, pause } from './pauses.ts'

const badStreakLimit = 20

interface SettledType {
  type: string
  /** In order. */
  settlements: readonly Settlement[]
}

/** Answers whether the type was paused. */
const autoPause = planOf<SettledType, { type: string; paused: boolean }>({
  key: ({ type }) => type,
  facts: ({ type }) => ({ types: [type] }),
  plan({ type, settlements }, facts, now) {
    const written: Changes[] = []
    let fact = facts.types.get(type)
    let streak = fact?.badStreak ?? 0
    let paused = false
    for (const settlement of settlements) {
      if (settlement.outcome === 'success') streak = 0
      if (!isBad(settlement)) continue
      streak += 1
      if (streak < badStreakLimit) continue
      const reason = `${streak} attempts in a row ended as poison or incident`
      // Replaces a timed pause too: waiting doesn't repair a broken release.
      const result = pause(fact, { type, who: 'wf', reason, untilAt: null }, now)
      fact = result.fact
      written.push(result.changes)
      paused ||= result.changed
    }
    const changes = combined([...written, { badStreaks: [{ type, badStreak: streak }] }])
    return { answer: { type, paused }, changes }
  },
})

/** Follows every exchange. Only types with an incident need the plan: the store itself ends the streaks of the others. */
export const pauseAfterStops: Follow<{ type: string; paused: boolean }> = {
  afterSettled(applied) {
    const stops = applied.filter(({ incident }) => incident !== null)
    if (stops.length === 0) return null
    const items = [...new Set(stops.map(({ type }) => type))].map((type) => ({
      type,
      settlements: applied.filter((settlement) => settlement.type === type),
    }))
    return { plan: autoPause, items }
  },
  afterClaimed: (items) => ({ plan: countRampStarts, items }),
}

/** `job_no_retries` isn't bad: a long outage is no broken release. */
function isBad({ outcome, incident }: Settlement): boolean {
  if (outcome === 'business_error') return incident !== null
  return outcome === 'poison' || outcome === 'incident' || outcome === 'result_invalid'
}
