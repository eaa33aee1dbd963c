/** What operators do with the breakers of a store, and how they stand now. */
import { breakerNameCharacters, type BreakerRow, type NamedBreaker } from '../domain/breaker-row.ts'
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'
import { type At, type BreakerMode, close, current, freePlaces, trip } from '../resilience/breaker-state.ts'
import { keeperAt } from '../resilience/shared-breaker.ts'
import type { Store } from '../store/port.ts'
import { changeOf, type Wanted } from './breakers-change.ts'
import { asOperation } from './operation-log.ts'
import { changeBreaker } from './plans/breakers.ts'
import { transactOne } from './transact-one.ts'
import type { TypeView } from '../store/views.ts'

type Writer = Pick<Store, 'breaker' | 'transact' | 'now'>

/** Who turns it, and why; empty where nothing was said. */
interface Word {
  who: string
  reason: string
}

export interface Steered {
  breaker: NamedBreaker | null
  changed: boolean
  /** The record of it; null where there was nothing to do. */
  operation: number | null
}

/** Until a worker has said otherwise. */
const usualTerms = { openForMs: 30_000, probes: 1 } as const
const termsOf = (before: BreakerRow | null) => before?.terms ?? usualTerms

/** Open for `forMs`, whatever it was. Throws a WfError `usage` for a name that no dependency can have. */
export async function tripBreaker(
  store: Writer,
  name: string,
  { forMs, who, reason }: Word & { forMs: number },
): Promise<Steered> {
  const apply = (state: Parameters<typeof trip>[0], before: BreakerRow | null) =>
    trip(state, atOf(before, store.now()), forMs)
  const { breaker, operation } = await steer(store, checkedName(name), {
    verb: 'trip',
    flags: { forMs },
    wanted: { terms: termsOf, who, reason: reason || null, apply },
  })
  return { breaker, changed: true, operation }
}

/** Changes nothing where it is closed already. */
export async function closeBreaker(store: Writer, name: string, { who, reason }: Word): Promise<Steered> {
  if ((await store.breaker(checkedName(name))) === null)
    return { breaker: null, changed: false, operation: null }
  let changed = false
  const apply = (state: Parameters<typeof close>[0], before: BreakerRow | null) => {
    const at = atOf(before, store.now())
    changed = current(state, at).mode !== 'closed'
    return changed ? close(state, at) : state
  }
  const { breaker, operation } = await steer(store, name, {
    verb: 'close',
    flags: {},
    wanted: { terms: termsOf, who, reason: reason || null, apply },
  })
  return { breaker, changed, operation }
}

interface Steering {
  verb: 'trip' | 'close'
  flags: Record<string, unknown>
  wanted: Wanted
}

async function steer(
  store: Writer,
  name: string,
  { verb, flags, wanted }: Steering,
): Promise<{ breaker: NamedBreaker | null; operation: number }> {
  const { who, reason } = wanted
  const { result, operation } = await asOperation(
    store,
    { verb, who, reason, selector: name, flags, matched: 1 },
    (id) => transactOne(store, changeBreaker, { ...changeOf(name, wanted), operation: id }),
  )
  return { breaker: result, operation: operation.id }
}

function checkedName(name: string): string {
  if (name !== '' && name.length <= breakerNameCharacters) return name
  throw new WfError(
    'usage',
    `the breaker ${preview(name, 60)} has ${name.length} characters; 1 to ${breakerNameCharacters} are possible`,
  )
}

function atOf(before: BreakerRow | null, now: number): At {
  return keeperAt(termsOf(before), now)
}

export interface InspectedBreaker extends NamedBreaker {
  /** As it is now: an opening that is over lets probes through. */
  mode: BreakerMode
  ageMs: number
  /** Until a call may be let through; 0 when one may now. */
  retryInMs: number
  /** The types whose calls go through it. */
  types: readonly string[]
}

export function inspectBreaker(row: NamedBreaker, types: readonly TypeView[], now: number): InspectedBreaker {
  const at = atOf(row, now)
  const { mode, probes } = current(row, at)
  const ends = mode === 'open' ? [row.expiresAt ?? now] : probes.map(({ expiresAt }) => expiresAt)
  const retryInMs = freePlaces(row, at) > 0 ? 0 : Math.max(0, Math.min(...ends) - now)
  const through = types
    .filter(({ declaration }) => declaration?.breakers?.includes(row.name))
    .map(({ type }) => type)
  return { ...row, mode, probes, ageMs: Math.max(0, now - row.changedAt), retryInMs, types: through }
}
