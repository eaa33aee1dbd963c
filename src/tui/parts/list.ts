/** A table that shows the rows around the selected one, as many as fit. */
import { say, type Safe } from '../../terminal/safe.ts'
import { table, type Column } from '../../terminal/table.ts'
import type { RenderContext } from './layout.ts'
import { sized } from './line.ts'

export interface ListRow<T> {
  id: string
  item: T
}

export interface ListContext extends RenderContext {
  /** Index of the row that is selected; −1 for none. */
  selected: number
  marks: { has(id: string): boolean }
}

const gutter = 2

/** Returns the head and at most `height` − 1 rows of `width` columns, with signs for selected and marked rows. */
export function listLines<T>(
  rows: readonly ListRow<T>[],
  columns: readonly Column<T>[],
  context: ListContext,
): readonly Safe[] {
  const { width, height, paint, selected, marks } = context
  const room = Math.max(0, height - 1)
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), rows.length - room))
  const shown = rows.slice(first, first + room)
  const [head = say``, ...lines] = table(
    shown.map(({ item }) => item),
    columns,
    { paint, width: width - gutter },
  )
  return [
    say`  ${head}`,
    ...lines.map((line, index) => {
      const isSelected = first + index === selected
      const mark = marks.has(shown[index]?.id ?? '') ? '*' : ' '
      const whole = sized(say`${isSelected ? '▸' : ' '}${mark}${line}`, width)
      return isSelected ? paint.inverse(whole) : whole
    }),
  ]
}
