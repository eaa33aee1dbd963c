/** All at a glance: what is stopped and why, which downstream is down, how much gets done, who works. */
import { say, type Safe } from '../../cli/safe.ts'
import { counted } from '../../cli/time.ts'
import type { InspectedBreaker } from '../../engine/breakers-control.ts'
import type { InspectedType } from '../../engine/inspector.ts'
import type { Item, ListedCause } from '../items.ts'
import type { Look } from '../look.ts'
import { beside, cutLine, fill, sized } from '../parts/line.ts'
import { listLines } from '../parts/list.ts'
import type { Figures } from '../snapshot.ts'
import { selectedIndex, type State } from '../state.ts'
import type { Column } from '../../cli/table.ts'
import { chartLines } from './charts.ts'
import { breakerRows, causeColumns, typeRows } from './columns.ts'

const sideBySideFrom = 100

/** Exactly `height` lines. */
export function overviewLines(state: State, items: readonly Item[], look: Look): readonly Safe[] {
  const { figures } = state
  if (figures === null) return fill([look.paint.dim('reading …')], look.height)
  const { width, height } = look
  const charts = chartLines(state, figures, look)
  const room = height - charts.length - 1
  // Types are the map of the place: half of what is left at most, and no more than there are.
  const forTypes = Math.min(figures.types.length + 2, Math.max(3, Math.floor(room / 2)))
  const block = blockOf(state, items)
  const upper = Math.max(0, room - forTypes)
  const stops =
    width >= sideBySideFrom && figures.breakers.length > 0
      ? sideBySide(block, state, { ...look, height: upper })
      : stacked(block, state, { ...look, height: upper })
  const typeBlock = block(types(figures, look), { ...look, height: forTypes })
  return fill([...stops, ...charts, ...typeBlock, sized(say``, width)], height)
}

type Block = ReturnType<typeof blockOf>

/** Draws one of the lists under its title. */
function blockOf(state: State, items: readonly Item[]) {
  const chosen = items[selectedIndex(state, items)]?.id
  return <T>(list: Listed<T>, look: Look): readonly Safe[] => {
    const rows = items.flatMap((item) => {
      const shown = list.of(item)
      return shown === null ? [] : [{ id: item.id, item: shown }]
    })
    if (rows.length === 0) return [list.title]
    const selected = rows.findIndex(({ id }) => id === chosen)
    const lines = listLines(rows, list.columns, { ...look, height: look.height - 1, selected, marks: state.marks })
    return [list.title, ...lines].slice(0, Math.max(1, look.height))
  }
}

interface Listed<T> {
  title: Safe
  columns: readonly Column<T>[]
  /** Null for what stands in another list. */
  of(item: Item): T | null
}

const causes = (state: State, look: Look): Listed<ListedCause> => ({
  title: causeTitle(state, look),
  columns: causeColumns(state.now).filter(({ title }) => title !== 'KIND'),
  of: (item) => (item.kind === 'cause' ? item.cause : null),
})

const breakers = (state: State, look: Look): Listed<InspectedBreaker> => ({
  title: breakerTitle(state, look),
  columns: breakerRows(state.now, heldBy(state)),
  of: (item) => (item.kind === 'breaker' ? item.breaker : null),
})

const types = (figures: Figures, look: Look): Listed<InspectedType> => ({
  title: typeTitle(figures, look),
  columns: typeRows(figures.series.byType),
  of: (item) => (item.kind === 'type' ? item.type : null),
})

function sideBySide(block: Block, state: State, look: Look): readonly Safe[] {
  const rightWidth = Math.max(38, Math.floor(look.width * 0.38))
  const leftWidth = look.width - rightWidth - 3
  const left = block(causes(state, look), { ...look, width: leftWidth })
  const right = block(breakers(state, look), { ...look, width: rightWidth })
  const height = Math.min(look.height, Math.max(left.length, right.length))
  return [...beside(fill(left, height), fill(right, height), { leftWidth, rule: look.paint.dim('│') }), say``].slice(0, look.height)
}

function stacked(block: Block, state: State, look: Look): readonly Safe[] {
  const count = state.figures?.breakers.length ?? 0
  const forBreakers = Math.min(count + (count > 0 ? 2 : 1), Math.max(1, Math.floor(look.height * 0.4)))
  const upper = block(causes(state, look), { ...look, height: look.height - forBreakers })
  return [...upper, ...block(breakers(state, look), { ...look, height: forBreakers })]
}

function causeTitle({ figures }: State, { paint }: Look): Safe {
  const count = figures?.causes.length ?? 0
  return count === 0
    ? say`${paint.bold('INCIDENTS')}  ${paint.dim('none is open')}`
    : say`${paint.bold('INCIDENTS by cause')}  ${paint.dim(counted(count, 'cause'))}`
}

function breakerTitle({ figures }: State, { paint }: Look): Safe {
  return say`${paint.bold('BREAKERS')}${figures?.breakers.length === 0 ? paint.dim('  none was ever opened') : say``}`
}

function typeTitle({ types, workers }: Figures, { paint, width }: Look): Safe {
  const alive = workers.filter((worker) => worker.alive)
  const busy = alive.reduce((sum, { running }) => sum + running, 0)
  const slots = alive.reduce((sum, { concurrency }) => sum + concurrency, 0)
  const gone = workers.length - alive.length
  const crew = alive.length === 0 ? paint.red('no worker is up') : say`${counted(alive.length, 'worker')} up · ${busy}/${slots} busy`
  return cutLine(
    say`${paint.bold('TYPES')}  ${types.length === 0 ? paint.dim('none yet') : crew}${gone > 0 ? paint.yellow(say` · ${gone} gone`) : say``}`,
    width,
  )
}

/** Jobs that could run through a breaker if it let them. */
export function heldBy({ figures }: Pick<State, 'figures'>): (breaker: InspectedBreaker) => number {
  return ({ types }) =>
    (figures?.types ?? [])
      .filter(({ type }) => types.includes(type))
      .reduce((sum, { counts }) => sum + (counts.available ?? 0) + (counts.waiting ?? 0), 0)
}
