/** Rows of the dashboard's lists. A row keeps its id when it moves. */
import type { Cause, Trend } from '../domain/cause.ts'
import type { InspectedBreaker } from '../engine/breaker-admin.ts'
import type {
  InspectedDeadLetter,
  InspectedIncident,
  InspectedJob,
  InspectedType,
  InspectedWorker,
} from '../engine/inspector.ts'

export type ListedCause = Cause & { trend: Trend; isNew: boolean | null }

export type Item =
  | { kind: 'cause'; id: string; cause: ListedCause }
  | { kind: 'incident'; id: string; incident: InspectedIncident }
  | { kind: 'letter'; id: string; letter: InspectedDeadLetter }
  | { kind: 'breaker'; id: string; breaker: InspectedBreaker }
  | { kind: 'job'; id: string; job: InspectedJob }
  | { kind: 'worker'; id: string; worker: InspectedWorker }
  | { kind: 'type'; id: string; type: InspectedType }

export type ItemKind = Item['kind']
export type ItemOf<K extends ItemKind> = Extract<Item, { kind: K }>

export const causeItem = (cause: ListedCause): Item => ({
  kind: 'cause',
  id: `cause:${cause.fingerprint}`,
  cause,
})
export const incidentItem = (incident: InspectedIncident): Item => ({
  kind: 'incident',
  id: `job:${incident.jobKey}`,
  incident,
})
export const letterItem = (letter: InspectedDeadLetter): Item => ({
  kind: 'letter',
  id: `job:${letter.jobKey}`,
  letter,
})
export const breakerItem = (breaker: InspectedBreaker): Item => ({
  kind: 'breaker',
  id: `breaker:${breaker.name}`,
  breaker,
})
export const jobItem = (job: InspectedJob): Item => ({ kind: 'job', id: `job:${job.key}`, job })
export const workerItem = (worker: InspectedWorker): Item => ({
  kind: 'worker',
  id: `worker:${worker.id}`,
  worker,
})
export const typeItem = (type: InspectedType): Item => ({ kind: 'type', id: `type:${type.type}`, type })

export function isKind<K extends ItemKind>(kind: K): (item: Item) => item is ItemOf<K> {
  return (item): item is ItemOf<K> => item.kind === kind
}

/** Returns the key of the item's job, or null if it has no single job. */
export function keyOf(item: Item): number | null {
  switch (item.kind) {
    case 'incident':
      return item.incident.jobKey
    case 'letter':
      return item.letter.jobKey
    case 'job':
      return item.job.key
    default:
      return null
  }
}

/** Returns the job type of an item, or null. */
export function typeOf(item: Item): string | null {
  switch (item.kind) {
    case 'cause':
      return item.cause.type
    case 'incident':
      return item.incident.type
    case 'letter':
      return item.letter.type
    case 'job':
      return item.job.type
    case 'type':
      return item.type.type
    default:
      return null
  }
}
