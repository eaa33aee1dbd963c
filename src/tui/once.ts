/** Draws one frame as plain text, for a ticket or a log. */
import type { Clock } from '../clock.ts'
import { Safe } from '../terminal/safe.ts'
import type { StoreReader } from '../store/port.ts'
import { frameOf } from './frame.ts'
import type { Screen } from './keys.ts'
import type { Paint } from '../terminal/paint.ts'
import { reduce } from './reduce.ts'
import { readSnapshot } from './read-snapshot.ts'
import { sourceOf } from './source.ts'
import { initialState, queryOf } from './state.ts'

export interface Once {
  store: StoreReader & { now(): number }
  clock: Clock
  screen: Screen
  columns: number
  paint: Paint
  suffix: string
}

/** Enough for a page; empty lines are left out. */
const rows = 60

export async function oneFrame({
  store,
  clock,
  screen,
  columns,
  paint,
  suffix,
}: Once): Promise<readonly Safe[]> {
  const source = sourceOf(store, clock)
  const state = initialState({ size: { columns, rows }, now: source.now(), screen, readOnly: true, suffix })
  const snapshot = await readSnapshot(source, queryOf(state))
  // Without the help line: there are no keys on paper.
  return withoutFilling(frameOf(reduce(state, { type: 'read', snapshot }), paint).slice(0, -1))
}

/** Drops trailing blanks and repeated empty lines. */
function withoutFilling(lines: readonly Safe[]): readonly Safe[] {
  const texts = lines.map(({ text }) => text.trimEnd())
  const last = texts.findLastIndex((text) => text !== '')
  return texts
    .slice(0, last + 1)
    .flatMap((text, index) => (text === '' && texts[index - 1] === '' ? [] : [new Safe(text)]))
}
