/**
 * The causes of open incidents, worst first, with what a person on call asks of each: does it grow, is it new since the
 * program that runs now began, what have its jobs in common. It reads only.
 */
import { programStart, trendOf, type Cause, type Trend } from '../domain/cause.ts'
import { commonVariables, type CommonVariable } from '../domain/common-variables.ts'
import type { StoreReader } from '../store/port.ts'
import type { Selector } from '../domain/selector.ts'

export interface InspectedCause extends Cause {
  trend: Trend
  /** When the workers began that handle its type now; null when none lives. */
  programStartedAt: number | null
  /** No incident of its fingerprint is older than that; null when no worker lives to compare with. */
  isNew: boolean | null
  common: readonly CommonVariable[]
  /** How many jobs were compared for `common`. */
  compared: { members: number; others: number }
}

export interface ListedCauses {
  items: readonly InspectedCause[]
  /** Causes in all, those beyond `limit` included; at most `mostCauses`. */
  total: number
  /** Open incidents of all of them. */
  incidents: number
}

export async function inspectCauses(
  store: StoreReader,
  { selector, limit, now }: { selector: Selector; limit: number; now: number },
): Promise<ListedCauses> {
  const causes = await store.causes(selector, now)
  const items: InspectedCause[] = []
  for (const cause of causes.slice(0, limit)) items.push(await inspectCause(store, cause, now))
  return { items, total: causes.length, incidents: causes.reduce((sum, { count }) => sum + count, 0) }
}

export async function inspectCause(
  store: Pick<StoreReader, 'workers' | 'causeVariables'>,
  cause: Cause,
  now: number,
): Promise<InspectedCause> {
  const startedAt = programStart(await store.workers(now), cause.type, now)
  const { members, others } = await store.causeVariables(cause)
  return {
    ...cause,
    trend: trendOf(cause.recent),
    programStartedAt: startedAt,
    isNew: startedAt === null ? null : cause.seenAt >= startedAt,
    common: commonVariables(members, others),
    compared: { members: members.length, others: others.length },
  }
}
