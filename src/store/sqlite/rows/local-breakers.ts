/** The column of wf_workers that tells of a worker's own breakers. What somebody broke tells of none. */
import type { LocalBreaker } from '../../../domain/breaker-row.ts'
import { isJsonObject } from '../../../text/json.ts'

const modes: readonly string[] = ['closed', 'half_open', 'open'] satisfies LocalBreaker['mode'][]

export function localBreakersFrom(text: string): readonly LocalBreaker[] {
  try {
    const told: unknown = JSON.parse(text)
    return Array.isArray(told) ? told.flatMap((each) => (isLocalBreaker(each) ? [each] : [])) : []
  } catch {
    return []
  }
}

function isLocalBreaker(each: unknown): each is LocalBreaker {
  if (!isJsonObject(each)) return false
  const { name, mode, generation, changedAt, expiresAt, types } = each
  const numbers =
    Number.isFinite(generation) &&
    Number.isFinite(changedAt) &&
    (expiresAt === null || Number.isFinite(expiresAt))
  return (
    typeof name === 'string' &&
    modes.includes(String(mode)) &&
    numbers &&
    Array.isArray(types) &&
    types.every((type) => typeof type === 'string')
  )
}
