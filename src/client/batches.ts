/** Many at once, a transaction a batch: what a batch's failure leaves done is told, never lost with the error. */
import { WfError } from '../errors.ts'

const batchSize = 1_000

/** The answers in order. Rejects as it is with what the first batch to fail threw, unless batches before it were answered: then with what `partly` makes of it. */
export async function inBatches<T, R>(
  items: readonly T[],
  each: (batch: readonly T[]) => Promise<readonly R[]>,
  partly: (results: readonly R[], cause: unknown) => unknown,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    try {
      results.push(...(await each(items.slice(start, start + batchSize))))
    } catch (error) {
      throw results.length === 0 ? error : partly(results, error)
    }
  }
  return results
}

export interface Part<R> {
  results: readonly R[]
  /** What the rest failed with. */
  cause: unknown
  /** `2,000 of 3,000 jobs were enqueued`. */
  done: string
  hint: string
}

/** A WfError `partly_done`: the store failed when some of many were done. What has no place in `results` was not handed in, or was refused as a whole. */
export class PartlyDoneError<R> extends WfError {
  /** In the order of what was handed in, from the first; the failure came at the item after the last of them. */
  readonly results: readonly R[]
  constructor({ results, cause, done, hint }: Part<R>) {
    super(
      'partly_done',
      `${done}, then the store failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      { hint, cause },
    )
    this.results = results
  }
}

/** What to do about the items of which there is no answer. */
export function goOnFrom(next: number, cause: unknown): string {
  const keyed = 'where each has an idempotencyKey, all of them can be handed in again'
  const isKnown = !(cause instanceof WfError && cause.code === 'outcome_unknown')
  return isKnown
    ? `hand in the items from index ${next} on; ${keyed}`
    : `look which of the items from index ${next} on are there; ${keyed}`
}
