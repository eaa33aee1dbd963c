/** Pauses and resumes job types. */
import type { Operation } from '../../domain/operation.ts'
import type { StoreReader } from '../../store/port.ts'
import { writer } from '../engine.ts'
import { asOperation, pauseOperation } from '../operation-log.ts'
import type { ActionContext } from './action.ts'

export interface PausePlan {
  /** Each once. */
  types: readonly string[]
  /** False: resume. */
  paused: boolean
  /** Epoch ms at which the pause ends by itself; null: when someone resumes the types. */
  untilAt: number | null
  reason: string | null
}

export interface Paused {
  /** The types whose state changed. */
  changed: readonly string[]
  /** Null where no type was given. */
  operation: Operation | null
}

/** Returns the types that no job and no worker has named, with the names that the store knows. */
export async function unknownTypes(
  reader: StoreReader & { now(): number },
  types: readonly string[],
): Promise<{ unknown: readonly string[]; known: readonly string[] }> {
  const known = (await reader.types(reader.now())).map(({ type }) => type)
  const unknown: string[] = []
  for (const type of types) {
    if (known.includes(type)) continue
    if ((await reader.jobs({ types: [type] }, { limit: 1 })).items.length === 0) unknown.push(type)
  }
  return { unknown, known }
}

export async function applyPause(
  { engine, who }: ActionContext,
  { types, ...change }: PausePlan,
): Promise<Paused> {
  if (types.length === 0) return { changed: [], operation: null }
  const pause = { ...change, who }
  const { result, operation } = await asOperation(engine[writer], pauseOperation(types, pause), (id) =>
    engine.pauseTypes(types, { ...pause, operation: id }),
  )
  return { changed: result, operation }
}
