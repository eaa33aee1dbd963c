/** Dead letters as JSON lines, one at a time: as many as there are, in the memory of one page and one letter. */
import type { StoredLetter } from '../../domain/dead-letter.ts'
import type { Selector } from '../../domain/selector.ts'
import type { Reader } from '../../engine/engine.ts'
import { pagesOf } from '../../store/page.ts'
import { deadLetterDocument } from '../../views/dead-letter-view.ts'
import { readable } from '../../views/history-messages.ts'
import { jsonLine } from '../../terminal/json.ts'
import type { Revealing } from '../../terminal/safe.ts'
import type { Bound } from '../input/selector-flags.ts'
import type { Sink } from '../../terminal/streams.ts'

export interface LetterExport extends Revealing {
  store: Reader
  /** Of their jobs. */
  keys: Iterable<number> | AsyncIterable<number>
  out: Sink
  /** Stops between two letters. */
  signal: AbortSignal
}

const pageSize = 200

/** Answers how many were written. A letter that goes while this runs is left out; one that comes may be. */
export async function exportLetters({
  store,
  keys,
  out,
  signal,
  reveal = false,
}: LetterExport): Promise<number> {
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

export async function* letterKeys(store: Reader, selector: Selector, bound: Bound): AsyncGenerator<number> {
  for await (const { items } of pagesOf((page) => store.deadLetters(selector, page), {
    ...bound,
    size: pageSize,
  })) {
    for (const { jobKey } of items) yield jobKey
  }
}

function letterDocument({ variables, error, ...letter }: StoredLetter) {
  return { ...deadLetterDocument(letter), variables: readable(variables), error }
}
