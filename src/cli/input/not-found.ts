/** Errors for keys and ids that the store doesn't have. */
import type { Selector } from '../../domain/selector.ts'
import { WfError } from '../../errors.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { StoreReader } from '../../store/port.ts'
import type { StoreInfo } from '../../store/views.ts'
import { collect, namedKeys } from '../output/list.ts'

interface Place {
  info(): Promise<StoreInfo>
}

interface Jobs {
  jobs(selector: Selector, page: Page): Promise<Paged<{ key: number }>>
}

export async function noSuchJob(place: Place & Jobs, key: number): Promise<WfError> {
  const [{ location }, hint] = [await place.info(), await missingJobHint(place, key)]
  return new WfError('not_found', `there is no job ${key} in ${location}`, { hint })
}

/** Which keys the store has: jobs are pruned from the oldest on. */
export async function missingJobHint(from: Jobs, key: number): Promise<string> {
  const [newest] = (await from.jobs({}, { limit: 1, sort: 'newest' })).items
  if (newest === undefined) return 'the store has no jobs'
  return key < newest.key
    ? 'finished jobs are pruned after a while; wf jobs list shows what there is'
    : `the newest job is ${newest.key}`
}

export async function noSuchIncident(
  place: Place,
  { key, state }: { key: number; state: string },
): Promise<WfError> {
  const { location } = await place.info()
  return new WfError('not_found', `there is no incident of a job ${key} in ${location}`, {
    hint: `wf jobs explain ${key}: the job is ${state}`,
  })
}

interface Letters {
  jobs(selector: Selector, page: Page): Promise<Paged<{ key: number; state: string }>>
}

export async function noSuchDeadLetter(place: Place & Letters, key: number): Promise<WfError> {
  const { location } = await place.info()
  const [job] = (await place.jobs({ keys: [key] }, { limit: 1 })).items
  return new WfError('not_found', `there is no dead letter of a job ${key} in ${location}`, {
    hint: job ? `wf jobs explain ${key}: the job is ${job.state}` : 'wf dlq list --closed shows them all',
  })
}

export async function noSuchOperation(
  place: Pick<StoreReader, 'info' | 'operations'>,
  id: number,
): Promise<WfError> {
  const [{ location }, [newest]] = [await place.info(), (await place.operations({}, { limit: 1 })).items]
  const shown = 'wf audit list shows what there is'
  return new WfError('not_found', `there is no operation ${id} in ${location}`, {
    hint:
      newest === undefined || id < newest.id
        ? `old ones are pruned; ${shown}`
        : `${shown}: the newest is operation ${newest.id}`,
  })
}

export interface Asked<T> {
  keys: readonly number[] | undefined
  /** Reads pages of what has these keys, without any other filter. */
  fetch(page: Page): Promise<Paged<T>>
  keyOf(item: T): number
  /** `job`, `open incident of job`. */
  noun: string
  from: Place
}

/** Returns those of the keys that the store doesn't have. Throws WfError `not_found` if it has none of them. */
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
