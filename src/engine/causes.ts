/**
 * The causes of open incidents, worst first, with what an operator asks about each: does it grow, is it new since the current
 * workers started, what do its jobs have in common. Only reads.
 */
import { programStart, trendOf, type Cause, type Trend } from '../domain/cause.ts'
import { commonVariables, type CommonVariable } from '../domain/common-variables.ts'
import type { StoreReader } from '../store/port.ts'
import type { Selector } from '../domain/selector.ts'

export interface InspectedCause extends Cause {
  trend: Trend
  /** Epoch ms at which the current workers of its type started; null if none is alive. */
  programStartedAt: number | null
  /** True if no incident of its fingerprint is older than `programStartedAt`; null if that is null. */
  isNew: boolean | null
  common: readonly CommonVariable[]
  /** Number of jobs compared for `common`. */
  compared: { members: number; others: number }
}

export interface ListedCauses {
  items: readonly InspectedCause[]
  /** All causes, also those beyond `limit`; at most `mostCauses`. */
  total: number
  /** Open incidents of all causes. */
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
