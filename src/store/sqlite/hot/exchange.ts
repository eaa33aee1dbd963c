/** One worker's hand in one transaction: what ended is settled, what is due is claimed. */
import type { Settlement } from '../../../domain/outcome.ts'
import type { ClaimRequest, Exchanged, Settled } from '../../port.ts'
import { badStreaks } from '../rows/bad-streaks.ts'
import type { Claimer } from './claim.ts'
import type { Savepoint } from '../file/savepoint.ts'
import { RefusedChild, type Settler } from './settle.ts'
import { isConstraint } from '../file/sqlite-errors.ts'
import type { TypesTable } from '../rows/job-types.ts'

export interface ExchangeParts {
  settler: Settler
  claimer: Claimer
  types: TypesTable
  savepoint: Savepoint
}

export interface Hand {
  settlements: readonly Settlement[]
  claim?: ClaimRequest
}

/** `careful` after a constraint stopped the first try: then each settlement stands or falls alone. */
export function exchange(
  parts: ExchangeParts,
  hand: Hand,
  { now, careful }: { now: number; careful: boolean },
): Exchanged {
  const { settler, claimer, types } = parts
  const settled: Settled[] = []
  let paused: readonly string[] = []
  if (hand.settlements.length > 0) {
    const streaks = badStreaks({ types, now })
    for (const settlement of hand.settlements) {
      const result = careful ? settleAlone(parts, settlement, now) : settler.settle(settlement, now)
      if (result === 'applied') streaks.settled(settlement)
      settled.push(result)
    }
    paused = streaks.finish()
  }
  return { settled, claimed: hand.claim === undefined ? [] : claimer.claim(hand.claim, now), paused }
}

function settleAlone({ settler, savepoint }: ExchangeParts, settlement: Settlement, now: number): Settled {
  try {
    return savepoint(() => settler.settle(settlement, now))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return settler.refuse(settlement, error.message, now)
  }
}

function isRefusal(error: unknown): error is Error {
  return (
    isConstraint(error) ||
    error instanceof RefusedChild ||
    error instanceof TypeError ||
    error instanceof RangeError
  )
}
