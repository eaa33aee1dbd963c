/** The sum under every change, which always adds up: matched = changed + skipped + failed. */
import { say, type Safe } from '../../terminal/safe.ts'

export interface Sum {
  matched: number
  changed: number
  skipped: number
  failed: number
}

export type Counts = Record<'changed' | 'skipped' | 'failed' | 'not_found', number>

/** What is not there has failed. */
export function summed({ changed, skipped, failed, not_found }: Counts): Sum {
  return { matched: changed + skipped + failed + not_found, changed, skipped, failed: failed + not_found }
}

export function sumOf(each: readonly { status: keyof Counts }[]): Sum {
  const counts: Counts = { changed: 0, skipped: 0, failed: 0, not_found: 0 }
  for (const { status } of each) counts[status] += 1
  return summed(counts)
}

export function sumWords({ matched, changed, skipped, failed }: Sum): Safe {
  return say`matched ${matched} = ${changed} changed + ${skipped} skipped + ${failed} failed`
}
