/** Pages out of rows of which only some fit: few are looked into at a time, and a page ends early rather than hold everybody up. */
import { pageSize } from '../../page.ts'
import type { Entry } from './keyset.ts'

/** Rows that one page looks into; the next page goes on behind them. */
const lookedAtOnce = 2_000
const sliceSize = 200

export interface Sifted {
  shown: readonly Entry[]
  /** Behind which the next page begins; null at the end. */
  last: Entry | null
  looked?: number
}

/** How many rows to find for a page: one more than it can use, to know whether there are more. */
export function wanted(page: { limit: number }, inside: boolean): number {
  return (inside ? lookedAtOnce : pageSize(page)) + 1
}

/** @param fits of some rows, those that fit; null when all do */
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
