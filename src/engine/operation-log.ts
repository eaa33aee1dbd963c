/**
 * One change that a person makes, from its beginning to its end: the record is begun before the first target is touched
 * and ended after the last, whatever happens between. A process that dies in the middle leaves it unfinished, with exact counts.
 */
import { namedTargets, type NewOperation, type Operation } from '../domain/operation.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { Store } from '../store/port.ts'
import { beginOperation, endOperation } from './plans/operations.ts'
import { pauseType, type PauseChange } from './plans/pauses.ts'
import { resolve } from './plans/resolve.ts'
import { transactOne } from './transact-one.ts'

type Writer = Pick<Store, 'transact' | 'now'>

export interface Operated<T> {
  result: T
  operation: Operation
}

/** Rejects with what `work` rejects with; what was done by then is told by the record. */
export async function asOperation<T>(
  store: Writer,
  operation: NewOperation,
  work: (id: number) => Promise<T>,
): Promise<Operated<T>> {
  const id = await transactOne(store, beginOperation, operation)
  try {
    const result = await work(id)
    return { result, operation: await transactOne(store, endOperation, { operation: id }) }
  } catch (error) {
    // Where the store itself has failed the record cannot be ended either, and tells so by being unfinished.
    await transactOne(store, endOperation, { operation: id }).catch(() => undefined)
    throw error
  }
}

/** What was chosen with a resolution, for the record. */
export function flagsOf({
  retries,
  priority,
  runAt,
  deadlineAt,
  set,
  newEffects,
}: Omit<Resolution, 'jobKey'>): Record<string, unknown> {
  return {
    ...(retries === undefined ? {} : { retries }),
    ...(priority === undefined ? {} : { priority }),
    ...(runAt === undefined ? {} : { runAt }),
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
    ...(set === undefined
      ? {}
      : { set: set.map(({ path, value, remove }) => (remove ? { path, remove } : { path, value })) }),
    ...(newEffects ? { newEffects } : {}),
  }
}

/** The resolutions of a batch that belong to no operation become one, each sort of them. */
export async function resolveRecorded(
  store: Store,
  batch: readonly Resolution[],
): Promise<readonly Applied[]> {
  const sorts = new Map<string, number[]>()
  for (const [index, resolution] of batch.entries()) {
    const sort = sortOf(resolution)
    const indexes = sorts.get(sort) ?? []
    sorts.set(sort, indexes)
    indexes.push(index)
  }
  const answers: Applied[] = []
  for (const indexes of sorts.values()) {
    const part = indexes.flatMap((index) => batch[index] ?? [])
    const applied = await resolveSort(store, part)
    for (const [position, index] of indexes.entries()) {
      const answer = applied[position]
      if (answer) answers[index] = answer
    }
  }
  return answers
}

function sortOf({ verb, who, reason, operation }: Resolution): string {
  return JSON.stringify([verb, who, reason, operation])
}

async function resolveSort(store: Store, part: readonly Resolution[]): Promise<readonly Applied[]> {
  const [first] = part
  if (!first || first.operation !== undefined) return store.transact(resolve, part, store.now())
  const { verb, who, reason } = first
  const keys = [...new Set(part.map(({ jobKey }) => jobKey))]
  const named = {
    verb,
    who,
    reason,
    selector: namedTargets(keys),
    flags: flagsOf(first),
    matched: keys.length,
  }
  const { result } = await asOperation(store, named, (operation) =>
    store.transact(
      resolve,
      part.map((each) => ({ ...each, operation })),
      store.now(),
    ),
  )
  return result
}

/** Answers the types whose state changed. */
export async function pauseRecorded(
  store: Store,
  types: readonly string[],
  change: PauseChange,
): Promise<readonly string[]> {
  const pause = async (operation: number) => {
    const items = types.map((type) => ({ ...change, type, operation }))
    const changed = await store.transact(pauseType, items, store.now())
    return types.filter((_, index) => changed[index])
  }
  if (change.operation !== undefined) return pause(change.operation)
  const { result } = await asOperation(store, pauseOperation(types, change), pause)
  return result
}

export function pauseOperation(
  types: readonly string[],
  { paused, who, reason, untilAt = null }: PauseChange,
): NewOperation {
  const flags = untilAt === null ? {} : { untilAt }
  return {
    verb: paused ? 'pause' : 'resume',
    who,
    reason,
    selector: namedTargets(types),
    flags,
    matched: new Set(types).size,
  }
}
