/** One exchange of a worker: settles what ended, then claims what is due, in one transaction. */
import type { Settlement } from '../../../domain/outcome.ts'
import type { Exchanged, ExchangeRequest, Settled, Work } from '../../port.ts'
import type { Savepoint } from '../file/savepoint.ts'
import { isConstraint } from '../file/sqlite-errors.ts'
import type { Rows } from '../rows/rows.ts'
import type { Transact } from '../transact.ts'
import type { Claimer } from './claim.ts'
import { RefusedChild, type Settler } from './settle.ts'

export interface ExchangeParts {
  settler: Settler
  claimer: Claimer
  types: Rows['types']
  savepoint: Savepoint
  transact: Transact
}

/** `careful`: after a constraint stopped the first try, each settlement is applied in a savepoint of its own. */
export function exchange<Answer>(
  parts: ExchangeParts,
  { settlements, claim, follow }: ExchangeRequest<Answer>,
  { now, careful }: { now: number; careful: boolean },
): Exchanged<Answer> {
  const { settler, claimer, types, transact } = parts
  const settled = settlements.map((settlement) =>
    careful ? settleAlone(parts, settlement, now) : settler.settle(settlement, now),
  )
  const applied = settlements.filter((_, index) => settled[index] === 'applied')
  for (const type of succeeded(applied)) types.endBadStreak(type)
  const run = <T>(work: Work<T> | null | undefined) => (work ? transact(work.plan, work.items, now) : [])
  const followed = run(follow?.afterSettled(applied))
  const { claimed, rampStarts } = claim === undefined ? nothing : claimer.claim(claim, now)
  if (rampStarts.size > 0)
    run(follow?.afterClaimed([...rampStarts].map(([type, count]) => ({ type, count }))))
  return { settled, claimed, followed }
}

const nothing: ReturnType<Claimer['claim']> = { claimed: [], rampStarts: new Map() }

/** Types with a success and no stop. */
function succeeded(applied: readonly Settlement[]): ReadonlySet<string> {
  const types = new Set<string>()
  for (const { type, outcome } of applied) if (outcome === 'success') types.add(type)
  if (types.size > 0) for (const { type, incident } of applied) if (incident !== null) types.delete(type)
  return types
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
