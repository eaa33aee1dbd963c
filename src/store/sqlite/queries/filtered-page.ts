/** Pages of rows that must be parsed to filter them: a few at a time, and a page ends early rather than block the loop. */
import { pageSize } from '../../page.ts'
import type { Entry } from './keyset.ts'

/** Maximum number of rows that one page parses; the next page continues behind them. */
const lookedAtOnce = 2_000
const sliceSize = 200

export interface Sifted {
  shown: readonly Entry[]
  /** The next page begins behind it; null at the end. */
  last: Entry | null
  looked?: number
}

/** Number of rows to find for a page: one more than it can use, to know whether there are more. */
export function wanted(page: { limit: number }, inside: boolean): number {
  return (inside ? lookedAtOnce : pageSize(page)) + 1
}

/** @param fits returns the matching rows; null if all match */
export function sift(
  found: readonly Entry[],
  page: { limit: number },
  fits: ((ids: readonly number[]) => readonly number[]) | null,
): Sifted {
  const limit = pageSize(page)
  if (fits === null) return ended(found, limit, null)
  const candidates = found.slice(0, lookedAtOnce)
  const fitting: Entry[] = []
  let looked = 0
  while (looked < candidates.length && fitting.length <= limit) {
    const slice = candidates.slice(looked, looked + sliceSize)
    const ids = new Set(fits(slice.map(({ id }) => id)))
    fitting.push(...slice.filter(({ id }) => ids.has(id)))
    looked += slice.length
  }
  const unread = found.length > candidates.length ? (candidates.at(-1) ?? null) : null
  return { ...ended(fitting, limit, unread), looked }
}

function ended(fitting: readonly Entry[], limit: number, unread: Entry | null): Sifted {
  const shown = fitting.slice(0, limit)
  return { shown, last: fitting.length > limit ? (shown.at(-1) ?? null) : unread }
}
