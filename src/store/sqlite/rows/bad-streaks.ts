/**
 * Counts poison and incident outcomes in a row per type, and pauses a type that reaches the limit: a broken release
 * must not turn a whole queue into incidents. One exchange's view of it: made anew for each, inside its transaction.
 */
import type { Settlement } from '../../../domain/outcome.ts'
import type { TypesTable } from './job-types.ts'

const badStreakLimit = 20

export interface BadStreaks {
  /** Hears of every settlement that was applied, in order. */
  settled(settlement: Settlement): void
  /** Writes what is left to write; answers the types that were paused. A type that only saw successes and had no streak costs one look. */
  finish(): readonly string[]
}

export function badStreaks({ types, now }: { types: TypesTable; now: number }): BadStreaks {
  const streaks = new Map<string, number>()
  const succeeded = new Set<string>()
  const paused: string[] = []

  function bad(type: string): void {
    const streak = (streaks.get(type) ?? (succeeded.has(type) ? 0 : types.badStreak(type))) + 1
    streaks.set(type, streak)
    if (streak < badStreakLimit) return
    const reason = `${streak} attempts in a row ended as poison or incident`
    // Also where somebody paused it for a while: a broken release is not mended by waiting.
    if (types.pause(type, { who: 'wf', reason, untilAt: null }, now)) paused.push(type)
  }

  return {
    settled(settlement) {
      const { outcome, type } = settlement
      if (outcome !== 'success') {
        if (isBad(settlement)) bad(type)
      } else if (streaks.size > 0 && streaks.has(type)) {
        streaks.set(type, 0)
      } else {
        succeeded.add(type)
      }
    },
    finish() {
      for (const [type, streak] of streaks) types.setBadStreak(type, streak)
      for (const type of succeeded) if (!streaks.has(type)) types.endBadStreak(type)
      return paused
    },
  }
}

/** Not `job_no_retries`: a downstream that is out for long is no broken release. */
function isBad({ outcome, incident }: Settlement): boolean {
  if (outcome === 'business_error') return incident !== null
  return outcome === 'poison' || outcome === 'incident' || outcome === 'result_invalid'
}
