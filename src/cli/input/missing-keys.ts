/** Keys that were asked for by name and that nothing has. */
import { WfError } from '../../errors.ts'
import { collect, namedKeys } from '../output/list.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { StoreInfo } from '../../store/views.ts'

export interface Asked<T> {
  keys: readonly number[] | undefined
  /** Pages of what has these keys, whatever else was asked for. */
  fetch(page: Page): Promise<Paged<T>>
  keyOf(item: T): number
  /** `job`, `open incident of job`. */
  noun: string
  from: { info(): Promise<StoreInfo> }
}

/** Throws WfError `not_found` when nothing has any of them. */
export async function missingKeys<T>({
  keys,
  fetch,
  keyOf,
  noun,
  from,
}: Asked<T>): Promise<readonly number[]> {
  if (keys === undefined || keys.length === 0) return []
  const there = new Set((await collect(fetch, { limit: keys.length })).items.map(keyOf))
  const missing = keys.filter((key) => !there.has(key))
  if (missing.length < keys.length) return missing
  throw new WfError(
    'not_found',
    `there is no ${noun} ${namedKeys(missing)} in ${(await from.info()).location}`,
    {
      hint: 'finished jobs are pruned after a while; without keys the list shows what there is',
    },
  )
}
