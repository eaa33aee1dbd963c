/** Dead letters as JSON lines, one at a time: as many as there are, in the memory of one page and one letter. */
import type { StoredLetter } from '../domain/dead-letter.ts'
import type { Page, Selector, Store } from '../store/store.ts'
import { deadLetterDocument } from './dead-letter-view.ts'
import { readable } from './history-words.ts'
import { jsonLine } from './json.ts'
import type { Revealing } from './safe.ts'
import type { Bound } from './selector-flags.ts'
import type { Sink } from './streams.ts'

export interface LetterExport extends Revealing {
  store: Store
  /** Of their jobs. */
  keys: Iterable<number> | AsyncIterable<number>
  out: Sink
  /** Stops between two letters. */
  signal: AbortSignal
}

const pageSize = 200

/** Answers how many were written. A letter that goes while this runs is left out; one that comes may be. */
export async function exportLetters({ store, keys, out, signal, reveal = false }: LetterExport): Promise<number> {
  let written = 0
  for await (const jobKey of keys) {
    if (out.closed || signal.aborted) break
    const letter = await store.deadLetter(jobKey)
    if (letter === null) continue
    out.write(jsonLine(letterDocument(letter), { reveal }))
    written += 1
    await out.drained()
  }
  return written
}

export async function* letterKeys(store: Store, selector: Selector, { limit, sort }: Bound): AsyncGenerator<number> {
  let left = limit ?? Number.POSITIVE_INFINITY
  const order = sort === undefined ? {} : { sort }
  for (let cursor: string | null | undefined; cursor !== null && left > 0; ) {
    const page: Page = { limit: Math.min(pageSize, left), ...order, ...(cursor === undefined ? {} : { cursor }) }
    const { items, next } = await store.deadLetters(selector, page)
    for (const { jobKey } of items) yield jobKey
    left -= items.length
    cursor = next
  }
}

function letterDocument({ variables, error, ...letter }: StoredLetter) {
  return { ...deadLetterDocument(letter), variables: readable(variables), error }
}
