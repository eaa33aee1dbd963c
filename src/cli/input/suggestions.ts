/** Suggests job types and workers for names that the store doesn't have; it reads them only then. */
import type { Selector } from '../../domain/selector.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'

/** Where names are looked up; `now` only decides which workers are alive. */
export interface Names {
  types?(now: number): Promise<readonly { type: string }[]>
  workers?(now: number): Promise<readonly { id: string; label: string }[]>
}

/** Returns `did you mean …?` for names of a selector that the store doesn't have; null if it has nothing similar. */
export async function nearSelector(from: Names, { types, workerId }: Selector): Promise<string | null> {
  const near = [
    ...(types ? nearWords(types, await typesOf(from)) : []),
    ...(workerId === undefined ? [] : nearWords([workerId], await workersOf(from))),
  ]
  return near.length === 0 ? null : didYouMean(near)
}

const typesOf = async (from: Names) => ((await from.types?.(0)) ?? []).map(({ type }) => type)
const workersOf = async (from: Names) =>
  ((await from.workers?.(0)) ?? []).flatMap(({ id, label }) => [id, label])
