/** The overview: causes, breakers, throughput, types. */
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { counted, span, thousands } from '../../terminal/time.ts'
import type { InspectedBreaker } from '../../engine/breaker-admin.ts'
import type { InspectedType } from '../../engine/inspector.ts'
import type { Item, ListedCause } from '../items.ts'
import { type RenderContext, beside, fill, allocateRows, type RowDemand } from '../parts/layout.ts'
import { cutLine } from '../parts/line.ts'
import { listLines } from '../parts/list.ts'
import type { Figures } from '../snapshot.ts'
import { selectedIndex, type State } from '../state.ts'
import type { Column } from '../../terminal/table.ts'
import { chartLines } from './charts.ts'
import { breakerRows as breakerColumns, causeColumns, typeRows } from './columns.ts'

const sideBySideFrom = 100

/** Exactly `height` lines. */
export function overviewLines(state: State, items: readonly Item[], context: RenderContext): readonly Safe[] {
  const { figures } = state
  if (figures === null) return fill([context.paint.dim('reading …')], context.height)
  const { width, height } = context
  const charts = chartLines(state, figures, context)
  const block = blockOf(state, items)
  const room = height - charts.length
  // Each list gets a third before one of them gets more.
  const lines = (count: number): RowDemand => ({
    least: count === 0 ? 1 : Math.max(3, Math.floor(room / 3)),
    most: count === 0 ? 1 : count + 2,
  })
  const [causeLines, typeLines, breakerLines] = [
    lines(figures.causes.length),
    lines(figures.types.length),
    lines(figures.breakers.length),
  ]
  if (width >= sideBySideFrom && figures.breakers.length > 0) {
    const most = Math.max(causeLines.most, breakerLines.most)
    const [upper = 0, lower = 0] = allocateRows(room, [{ least: 3, most }, typeLines])
    const stops = sideBySide(block, state, { ...context, height: upper })
    return fill(
      [...stops, ...charts, ...block(types(figures, context), { ...context, height: lower })],
      height,
    )
  }
  const [forCauses = 0, forTypes = 0, forBreakers = 0] = allocateRows(room, [
    causeLines,
    typeLines,
    { ...breakerLines, least: 1 },
  ])
  const stops = stacked(block, state, { context, rows: [forCauses, forBreakers] })
  return fill(
    [...stops, ...charts, ...block(types(figures, context), { ...context, height: forTypes })],
    height,
  )
}

/** The title and the column heads. */
const headRows = 2

type Block = ReturnType<typeof blockOf>

/** Draws one of the lists under its title. */
function blockOf(state: State, items: readonly Item[]) {
  const chosen = items[selectedIndex(state, items)]?.id
  return <T>(list: Listed<T>, context: RenderContext): readonly Safe[] => {
    const rows = items.flatMap((item) => {
      const shown = list.of(item)
      return shown === null ? [] : [{ id: item.id, item: shown }]
    })
    if (rows.length === 0) return [list.title]
    const hidden = rows.length - Math.max(0, context.height - headRows)
    const title =
      hidden > 0
        ? cutLine(say`${list.title}  ${context.paint.dim(say`… ${thousands(hidden)} more`)}`, context.width)
        : list.title
    const selected = rows.findIndex(({ id }) => id === chosen)
    const lines = listLines(rows, list.columns, {
      ...context,
      height: context.height - 1,
      selected,
      marks: state.marks,
    })
    return [title, ...lines].slice(0, Math.max(1, context.height))
  }
}

interface Listed<T> {
  title: Safe
  columns: readonly Column<T>[]
  /** Returns null for rows of other lists. */
  of(item: Item): T | null
}

const causes = (state: State, context: RenderContext): Listed<ListedCause> => ({
  title: causeTitle(state, context),
  columns: causeColumns(state.now).filter(({ title }) => title !== 'KIND'),
  of: (item) => (item.kind === 'cause' ? item.cause : null),
})

const breakers = (state: State, context: RenderContext): Listed<InspectedBreaker> => ({
  title: breakerTitle(state, context),
  columns: breakerColumns(state.now, heldBy(state)),
  of: (item) => (item.kind === 'breaker' ? item.breaker : null),
})

const types = (figures: Figures, context: RenderContext): Listed<InspectedType> => ({
  title: typeTitle(figures, context),
  columns: typeRows(figures.series.byType),
  of: (item) => (item.kind === 'type' ? item.type : null),
})

function sideBySide(block: Block, state: State, context: RenderContext): readonly Safe[] {
  const rightWidth = Math.max(38, Math.floor(context.width * 0.38))
  const leftWidth = context.width - rightWidth - 3
  const left = block(causes(state, context), { ...context, width: leftWidth })
  const right = block(breakers(state, context), { ...context, width: rightWidth })
  return beside(fill(left, context.height), fill(right, context.height), {
    leftWidth,
    rule: context.paint.dim('│'),
  })
}

function stacked(
  block: Block,
  state: State,
  { context, rows: [forCauses = 0, forBreakers = 0] }: { context: RenderContext; rows: readonly number[] },
): readonly Safe[] {
  return [
    ...block(causes(state, context), { ...context, height: forCauses }).slice(0, forCauses),
    ...(forBreakers < 3
      ? [breakerTitle(state, context)].slice(0, forBreakers)
      : block(breakers(state, context), { ...context, height: forBreakers })),
  ]
}

function causeTitle({ figures }: State, { paint }: RenderContext): Safe {
  const count = figures?.causes.length ?? 0
  return count === 0
    ? say`${paint.bold('INCIDENTS')}  ${paint.dim('none open')}`
    : say`${paint.bold('INCIDENTS by cause')}  ${paint.dim(counted(count, 'cause'))}`
}

/** Names the breakers that aren't closed: there may be no room for more. */
function breakerTitle({ figures, now }: State, { paint, width }: RenderContext): Safe {
  const all = figures?.breakers ?? []
  const open = all.filter(({ mode }) => mode !== 'closed')
  const words = open.map(({ name, mode, expiresAt }) =>
    mode === 'open'
      ? say`■ ${name} open, probe in ${span(Math.max(0, (expiresAt ?? now) - now))}`
      : say`◪ ${name} half-open`,
  )
  const none = all.length === 0 ? 'none has ever opened' : 'all closed'
  return cutLine(
    say`${paint.bold('BREAKERS')}  ${open.length === 0 ? paint.dim(none) : paint.red(joined(words, ', '))}`,
    width,
  )
}

function typeTitle({ types, workers, counted: isCounted }: Figures, { paint, width }: RenderContext): Safe {
  const alive = workers.filter((worker) => worker.alive)
  const busy = alive.reduce((sum, { running }) => sum + running, 0)
  const slots = alive.reduce((sum, { concurrency }) => sum + concurrency, 0)
  const gone = workers.length - alive.length
  const crew =
    alive.length === 0
      ? paint.red('no workers running')
      : say`${counted(alive.length, 'worker')} up · ${busy}/${slots} busy`
  return cutLine(
    say`${paint.bold('TYPES')}  ${types.length === 0 ? paint.dim(isCounted ? 'no jobs yet' : 'counting …') : crew}${gone > 0 ? paint.yellow(say` · ${gone} gone`) : say``}`,
    width,
  )
}

/** Counts the unfinished jobs that a breaker blocks. */
export function heldBy({ figures }: Pick<State, 'figures'>): (breaker: InspectedBreaker) => number {
  return ({ types }) =>
    (figures?.types ?? [])
      .filter(({ type }) => types.includes(type))
      .reduce((sum, { counts }) => sum + (counts.available ?? 0) + (counts.waiting ?? 0), 0)
}
