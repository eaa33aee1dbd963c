/** What operators do with the breakers of a store, and the state of each now. */
import { type BreakerMode, current, freePlaces } from '../domain/breaker.ts'
import {
  type BreakerEvent,
  breakerNameCharacters,
  type NamedBreaker,
  sharedAt,
} from '../domain/breaker-row.ts'
import { WfError } from '../errors.ts'
import type { Store } from '../store/port.ts'
import type { TypeView } from '../store/views.ts'
import { preview } from '../text/preview.ts'
import { asOperation } from './operation-log.ts'
import { changeBreaker } from './plans/breakers.ts'
import { transactOne } from './transact-one.ts'

type Writer = Pick<Store, 'breaker' | 'transact' | 'now'>

/** The operator, and the reason; empty if none was given. */
interface Operator {
  who: string
  reason: string
}

export interface Steered {
  breaker: NamedBreaker | null
  changed: boolean
  /** The operation that records it; null if nothing was to be done. */
  operation: number | null
}

/** Opens a breaker for `forMs`, whatever its mode. Throws WfError `usage` for a name that no dependency can have. */
export async function tripBreaker(
  store: Writer,
  name: string,
  { forMs, ...operator }: Operator & { forMs: number },
): Promise<Steered> {
  return steer(store, checkedName(name), { event: { kind: 'trip', forMs }, flags: { forMs }, operator })
}

/** Closes a breaker. Changes nothing if it is closed or was never opened. Throws as `tripBreaker` does. */
export async function closeBreaker(store: Writer, name: string, operator: Operator): Promise<Steered> {
  const before = await store.breaker(checkedName(name))
  if (before === null) return { breaker: null, changed: false, operation: null }
  return steer(store, name, { event: { kind: 'close' }, flags: {}, operator })
}

interface Steering {
  event: Extract<BreakerEvent, { kind: 'trip' | 'close' }>
  flags: Record<string, unknown>
  operator: Operator
}

async function steer(
  store: Writer,
  name: string,
  { event, flags, operator: { who, reason: given } }: Steering,
): Promise<Steered> {
  const reason = given || null
  const { result, operation } = await asOperation(
    store,
    { verb: event.kind, who, reason, selector: name, flags, matched: 1 },
    (id) => transactOne(store, changeBreaker, { name, event, who, reason, operation: id }),
  )
  return { breaker: result.breaker, changed: result.changed, operation: operation.id }
}

function checkedName(name: string): string {
  if (name !== '' && name.length <= breakerNameCharacters) return name
  throw new WfError(
    'usage',
    `the breaker ${preview(name, 60)} has ${name.length} characters; 1 to ${breakerNameCharacters} are possible`,
  )
}

export interface InspectedBreaker extends NamedBreaker {
  /** Now: half-open once the open period is over. */
  mode: BreakerMode
  ageMs: number
  /** Ms until a call may pass; 0 if one may now. */
  retryInMs: number
  /** Types whose calls go through it. */
  types: readonly string[]
}

export function inspectBreaker(row: NamedBreaker, types: readonly TypeView[], now: number): InspectedBreaker {
  const at = sharedAt(row.terms, now)
  const { mode, probes } = current(row, at)
  const ends = mode === 'open' ? [row.expiresAt ?? now] : probes.map(({ expiresAt }) => expiresAt)
  const retryInMs = freePlaces(row, at) > 0 ? 0 : Math.max(0, Math.min(...ends) - now)
  const through = types
    .filter(({ declaration }) => declaration?.breakers?.includes(row.name))
    .map(({ type }) => type)
  return { ...row, mode, probes, ageMs: Math.max(0, now - row.changedAt), retryInMs, types: through }
}
