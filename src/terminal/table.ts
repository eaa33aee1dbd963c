/** Tables that fit: columns are cut by display width, the widest first; what still does not fit is left out by rank. */
import { truncate, displayWidth } from '../text/width.ts'
import { distinctCuts } from '../text/truncate-middle.ts'
import type { Paint, Painter } from './paint.ts'
import { Safe, safe, type Shown } from './safe.ts'

export interface Column<T> {
  title: string
  value(item: T): Shown
  /** How this cell looks; text is never carried by colour alone. */
  paint?(item: T, paint: Paint): Painter | undefined
  align?: 'right'
  /** May be cut down to this many columns of the terminal; unset: never cut. */
  shrinkTo?: number
  /** Cells that begin alike are cut in their middle, so that they can be told apart. */
  distinct?: true
  /** May be left out where the terminal is narrow, the highest first, and where every cell is empty. */
  optional?: number
}

export interface TableLook {
  paint: Paint
  /** Null: nothing is cut but what is longer than `longestCell`. */
  width: number | null
}

const gap = 2
const longestCell = 200

export function table<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  look: TableLook,
): readonly Safe[] {
  const cells = columns.map((column) => items.map((item) => safe(beginning(column.value(item))).text))
  const natural = columns.map(({ title, optional }, index) => {
    const width = widest(cells[index] ?? [])
    return width === 0 && optional !== undefined
      ? 0
      : Math.min(longestCell, Math.max(width, displayWidth(title)))
  })
  const widths = fitted(columns, natural, look.width ?? Number.POSITIVE_INFINITY)
  const shown = columns
    .map((column, index) => ({
      column,
      width: widths[index] ?? 0,
      cells: cutCells(column, cells[index] ?? [], widths[index] ?? 0),
    }))
    .filter(({ width }) => width > 0)
  const line = (draw: (each: (typeof shown)[number]) => string) =>
    new Safe(shown.map(draw).join(' '.repeat(gap)).trimEnd())
  // Nothing stands behind the last column: blanks there would only be underlined, inverted or wrapped.
  const padded = (text: string, { column, width }: (typeof shown)[number]) =>
    column === shown.at(-1)?.column && column.align !== 'right'
      ? truncate(text, width)
      : pad(text, width, column.align)
  const head = line((each) => look.paint.dim(new Safe(padded(each.column.title, each))).text)
  const rows = items.map((item, row) =>
    line((each) => {
      const text = new Safe(padded(each.cells[row] ?? '', each))
      return each.column.paint?.(item, look.paint)?.(text).text ?? text.text
    }),
  )
  return [head, ...rows]
}

function cutCells<T>({ distinct }: Column<T>, cells: readonly string[], width: number): readonly string[] {
  return distinct ? distinctCuts(cells, width) : cells
}

/** Far more than is ever shown, so that a secret that begins in view is still whole when it is masked. */
function beginning(value: Shown): Shown {
  return typeof value === 'string' ? value.slice(0, longestCell * 20) : value
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0)
}

/** Widths in the order of the columns; 0 leaves a column out. */
function fitted<T>(
  columns: readonly Column<T>[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const least = columns.map(({ shrinkTo }, index) =>
    Math.min(natural[index] ?? 0, shrinkTo ?? Number.POSITIVE_INFINITY),
  )
  const kept = new Set([...columns.keys()].filter((index) => (natural[index] ?? 0) > 0))
  const needs = (widths: readonly number[]) =>
    [...kept].reduce((sum, index) => sum + (widths[index] ?? 0) + gap, -gap)
  const ranks = [...columns.entries()]
    .filter(([, { optional }]) => optional !== undefined)
    .sort(([, a], [, b]) => (b.optional ?? 0) - (a.optional ?? 0))
  for (const [index] of ranks) if (needs(least) > width) kept.delete(index)
  const widths = natural.map((each, index) => (kept.has(index) ? each : 0))
  for (let over = needs(widths) - width; over > 0; over = needs(widths) - width) {
    const next = [...kept]
      .filter((index) => (widths[index] ?? 0) > (least[index] ?? 0))
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (next === undefined) break
    widths[next] = (widths[next] ?? 0) - 1
  }
  return widths
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const cut = truncate(text, width)
  const space = ' '.repeat(Math.max(0, width - displayWidth(cut)))
  return align === 'right' ? `${space}${cut}` : `${cut}${space}`
}
