/** Blocks of lines: below each other, beside each other, and in a panel on top. */
import type { Paint } from '../../terminal/paint.ts'
import { Safe, say, type Shown } from '../../terminal/safe.ts'
import { cutLine, sized, widthOf } from './line.ts'

/** Colours, and the columns and rows a view may fill. */
export interface RenderContext {
  paint: Paint
  width: number
  height: number
}

/** Returns exactly `height` lines, cut off or filled with empty ones. */
export function fill(lines: readonly Safe[], height: number): readonly Safe[] {
  const shown = lines.slice(0, Math.max(0, height))
  return [...shown, ...Array.from({ length: Math.max(0, height - shown.length) }, () => new Safe(''))]
}

/** Puts two blocks of the same height beside each other, with a rule between them. */
export function beside(
  left: readonly Safe[],
  right: readonly Safe[],
  { leftWidth, rule }: { leftWidth: number; rule: Safe },
): readonly Safe[] {
  return left.map((line, index) => say`${sized(line, leftWidth)} ${rule} ${right[index] ?? ''}`)
}

export interface RowDemand {
  least: number
  most: number
}

/** Allocates `rows` to blocks below each other: first what each needs at least, then what it would fill, the first ones first. */
export function allocateRows(rows: number, demands: readonly RowDemand[]): readonly number[] {
  let left = Math.max(0, rows)
  const take = (count: number) => {
    const taken = Math.min(left, Math.max(0, count))
    left -= taken
    return taken
  }
  const least = demands.map((demand) => take(Math.min(demand.least, demand.most)))
  return demands.map(({ most }, index) => (least[index] ?? 0) + take(most - (least[index] ?? 0)))
}

const widestPanel = 110

/** Columns inside a panel on a screen of `width` columns. */
export const panelRoom = (width: number): number => Math.max(0, Math.min(width, widestPanel) - 4)

/** Frames lines, with a title; as wide as the screen, at most 110 columns. */
export function panel(title: Shown, lines: readonly Safe[], width: number): readonly Safe[] {
  const room = panelRoom(width)
  const name = cutLine(say` ${title} `, room)
  const rule = (count: number) => '─'.repeat(Math.max(0, count))
  return [
    new Safe(`┌─${name.text}${rule(room + 1 - widthOf(name))}┐`),
    ...lines.map((line) => say`│ ${sized(line, room)} │`),
    new Safe(`└${rule(room + 2)}┘`),
  ]
}

/** Puts the lines of a panel over those behind it, from the top. */
export function over(behind: readonly Safe[], front: readonly Safe[]): readonly Safe[] {
  return behind.map((line, index) => front[index] ?? line)
}
