/** What is said about a key that nothing has. */
import { WfError } from '../../domain/errors.ts'
import type { StoreInfo } from '../../store/store.ts'
import { nearKeys, type Jobs } from './near.ts'

interface Place {
  info(): Promise<StoreInfo>
}

export async function noSuchJob(place: Place & Jobs, key: number): Promise<WfError> {
  const [{ location }, hint] = [await place.info(), await nearKeys(place, key)]
  return new WfError('not_found', `there is no job ${key} in ${location}`, { hint })
}

export async function noSuchIncident(place: Place, key: number): Promise<WfError> {
  const { location } = await place.info()
  return new WfError('not_found', `there is no incident of a job ${key} in ${location}`, { hint: 'wf incidents list --closed shows them all' })
}

export async function noSuchDeadLetter(place: Place & Jobs, key: number): Promise<WfError> {
  const { items } = await place.jobs({ keys: [key] }, { limit: 1 })
  if (items.length === 0) return noSuchJob(place, key)
  const { location } = await place.info()
  return new WfError('not_found', `there is no dead letter of a job ${key} in ${location}`, { hint: 'wf dlq list --closed shows them all' })
}

export async function noSuchOperation(place: Place, id: number): Promise<WfError> {
  const { location } = await place.info()
  return new WfError('not_found', `there is no operation ${id} in ${location}`, { hint: 'old ones are pruned; wf audit list shows what there is' })
}
