/** What is said about a key that nothing has. */
import { WfError } from '../../errors.ts'
import { didYouMean } from '../../text/suggest.ts'
import type { StoreReader } from '../../store/port.ts'
import { nearKeys, nearNumber, type Jobs } from './suggestions.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'
import type { StoreInfo } from '../../store/views.ts'

interface Place {
  info(): Promise<StoreInfo>
}

export async function noSuchJob(place: Place & Jobs, key: number): Promise<WfError> {
  const [{ location }, hint] = [await place.info(), await nearKeys(place, key)]
  return new WfError('not_found', `there is no job ${key} in ${location}`, { hint })
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
  deadLetters(selector: Selector, page: Page): Promise<Paged<{ jobKey: number }>>
}

export async function noSuchDeadLetter(place: Place & Letters, key: number): Promise<WfError> {
  const [{ location }, hint] = [await place.info(), await letterHint(place, key)]
  return new WfError('not_found', `there is no dead letter of a job ${key} in ${location}`, { hint })
}

async function letterHint(place: Letters, key: number): Promise<string> {
  const [job] = (await place.jobs({ keys: [key] }, { limit: 1 })).items
  if (job) return `wf jobs explain ${key}: the job is ${job.state}`
  const there = async (keys: readonly number[]) =>
    (await place.deadLetters({ keys }, { limit: 2 })).items.map(({ jobKey }) => jobKey)
  return didYouMean(await nearNumber(key, there), 'wf dlq list --closed shows them all')
}

export async function noSuchOperation(
  place: Pick<StoreReader, 'info' | 'operation' | 'operations'>,
  id: number,
): Promise<WfError> {
  const [{ location }, [newest]] = [await place.info(), (await place.operations({}, { limit: 1 })).items]
  const there = async (ids: readonly number[]) => {
    const found = await Promise.all(ids.map((each) => place.operation(each)))
    return found.flatMap((operation) => operation?.id ?? [])
  }
  const isOld = newest === undefined || id < newest.id
  const shown = 'wf audit list shows what there is'
  const hint = isOld
    ? `old ones are pruned; ${shown}`
    : didYouMean(await nearNumber(id, there), `${shown}: the newest is operation ${newest.id}`)
  return new WfError('not_found', `there is no operation ${id} in ${location}`, { hint })
}
