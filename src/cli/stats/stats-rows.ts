/** The figures of a window beside how things stand now: types that nothing was done of are there too while something of them waits. */
import { createInspector } from '../../engine/inspector.ts'
import type { Activity, ActivityGroup } from '../../metrics/activity.ts'
import type { ActivityBy } from '../../store/views.ts'
import type { Reader } from '../../engine/engine.ts'
import type { Present, StatsRow } from './stats-view.ts'

export interface StatsWanted {
  by: ActivityBy
  types: readonly string[] | undefined
  now: number
}

export async function statsRows(
  store: Reader,
  { groups }: Activity,
  { by, types, now }: StatsWanted,
): Promise<readonly StatsRow[]> {
  if (by !== 'type') return groups.map((group) => ({ ...group, present: null }))
  const present = await presentByType(store, now)
  const silent = [...present].flatMap(([type, { retrying, held }]) => {
    const isWanted =
      (types === undefined || types.includes(type)) && !groups.some(({ group }) => group === type)
    return isWanted && retrying + held > 0 ? [nothingOf(type)] : []
  })
  return [...groups, ...silent].map((group) => ({
    ...group,
    present: present.get(group.group) ?? { retrying: 0, held: 0, why: null },
  }))
}

async function presentByType(store: Reader, now: number): Promise<ReadonlyMap<string, Present>> {
  const waiting = await store.waitingTotals()
  const count = (type: string, ...reasons: readonly string[]) =>
    waiting.reduce(
      (sum, total) => sum + (total.type === type && reasons.includes(total.reason) ? total.count : 0),
      0,
    )
  const types = await createInspector(store, () => now).types()
  return new Map(
    types.map(({ type, counts, held }) => {
      const kept = held === null ? 0 : (counts.available ?? 0) + count(type, 'backoff', 'deferred')
      return [type, { retrying: count(type, 'backoff'), held: kept, why: held?.why ?? null }]
    }),
  )
}

function nothingOf(group: string): ActivityGroup {
  return {
    group,
    completed: 0,
    failed: 0,
    attempts: 0,
    incidents: 0,
    deadLetters: 0,
    p50Ms: null,
    p95Ms: null,
    perMinute: 0,
  }
}
