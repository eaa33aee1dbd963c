/** Draws a frame: lines from the top, fewer than the terminal has rows, none wider than the terminal. */
import { say, type Safe } from '../terminal/safe.ts'
import { type RenderContext, fill } from './parts/layout.ts'
import type { Paint } from '../terminal/paint.ts'
import { cutLine } from './parts/line.ts'
import { bodyRows, itemsOf, type State } from './state.ts'
import { footerLines, headerLines } from './views/header-footer.ts'
import { detailLines } from './views/detail.ts'
import { listScreen } from './views/lists.ts'
import { withOverlay } from './views/overlays.ts'
import { overviewLines } from './views/overview.ts'

/** On a smaller terminal only a message fits. */
export const smallest = { columns: 40, rows: 10 } as const

export function frameOf(state: State, paint: Paint): readonly Safe[] {
  const { columns, rows } = state.size
  if (columns < smallest.columns || rows < smallest.rows) {
    return [
      cutLine(
        say`wf: ${columns}×${rows} is too small, ${smallest.columns}×${smallest.rows} is needed`,
        columns,
      ),
    ]
  }
  const context: RenderContext = { paint, width: columns, height: bodyRows(state) }
  // Ages of a frozen screen stand still too.
  const shown = state.frozen ? { ...state, now: state.readAt ?? state.now } : state
  return [
    ...headerLines(shown, context),
    ...fill(withOverlay(shown, bodyOf(shown, context), context), context.height),
    ...footerLines(state, context),
  ].map((line) => cutLine(line, columns))
}

function bodyOf(state: State, context: RenderContext): readonly Safe[] {
  const items = itemsOf(state)
  if (state.screen !== 'overview') return listScreen(state, items, context)
  return state.open ? detailLines(state, context) : overviewLines(state, items ?? [], context)
}
