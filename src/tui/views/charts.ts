/** Completed and failed attempts a minute over the last hour: lines if there is room, else bars. */
import { say, type Safe } from '../../terminal/safe.ts'
import { span, thousands } from '../../terminal/time.ts'
import type { Painter } from '../../terminal/paint.ts'
import type { RenderContext } from '../parts/layout.ts'
import { brailleChart, sparkline } from '../parts/charts.ts'
import { cutLine, sized, widthOf } from '../parts/line.ts'
import type { Figures } from '../snapshot.ts'
import type { State } from '../state.ts'
import { quantileWords } from './columns.ts'

const linesFrom = { width: 120, height: 24 } as const
/** Taller where there is much room. */
const chartRows = ({ height }: RenderContext) => (height >= 36 ? 7 : 4)
const labelWidth = 7

export function chartLines(state: State, figures: Figures, context: RenderContext): readonly Safe[] {
  const words = fitting(rateWords(state, figures, context), context.width)
  const isWide = context.width >= linesFrom.width && context.height >= linesFrom.height
  return [...(isWide ? lineCharts(figures, context) : [bars(figures, context)]), words]
}

function bars({ series: { minutes } }: Figures, { width, paint }: RenderContext): Safe {
  const columns = Math.max(8, Math.min(60, Math.floor((width - 34) / 2)))
  const done = sparkline(
    minutes.map((each) => each.done),
    columns,
  )
  const failed = sparkline(
    minutes.map((each) => each.failed),
    columns,
  )
  const line = say`${paint.bold('DONE')} ${paint.green(done)}  ${paint.bold('FAILED')} ${paint.red(failed)}  ${paint.dim('the last hour')}`
  return cutLine(line, width)
}

interface Chart {
  title: Safe
  values: readonly number[]
  painter: Painter
}

function lineCharts({ series: { minutes } }: Figures, context: RenderContext): readonly Safe[] {
  const { width, paint } = context
  const columns = Math.floor((width - 3) / 2)
  const height = chartRows(context)
  const chart = ({ title, values, painter }: Chart): readonly Safe[] => {
    const most = Math.max(1, ...values)
    const rows = brailleChart(values, { width: columns - labelWidth - 1, height, most })
    const labels = rows.map((_, row) => ({ [0]: thousands(Math.round(most)), [height - 1]: '0' })[row] ?? '')
    return [
      title,
      ...rows.map(
        (row, index) => say`${paint.dim((labels[index] ?? '').padStart(labelWidth))} ${painter(row)}`,
      ),
    ]
  }
  const done = {
    title: say`${paint.bold('DONE')} ${paint.dim('a minute, the last hour')}`,
    values: minutes.map((each) => each.done),
    painter: paint.green,
  }
  const failed = {
    title: say`${paint.bold('FAILED')} ${paint.dim('attempts a minute')}`,
    values: minutes.map((each) => each.failed),
    painter: paint.red,
  }
  const right = chart(failed)
  return chart(done).map((line, index) =>
    cutLine(say`${sized(line, columns)}   ${right[index] ?? ''}`, width),
  )
}

/** Joins as many facts as fit into a line. */
function fitting([first = say``, ...more]: readonly Safe[], width: number): Safe {
  const line = more.reduce(
    (line, fact) => (widthOf(line) + 3 + widthOf(fact) <= width ? say`${line}   ${fact}` : line),
    first,
  )
  return cutLine(line, width)
}

function rateWords(
  { now }: State,
  { series, types, nextDueAt }: Figures,
  { paint }: RenderContext,
): readonly Safe[] {
  const [last, present] = [series.minutes.at(-2), series.minutes.at(-1)]
  const hour = series.minutes.reduce(
    (sum, each) => ({ done: sum.done + each.done, failed: sum.failed + each.failed }),
    { done: 0, failed: 0 },
  )
  const all = hour.done + hour.failed
  const waiting = types.reduce((sum, { counts }) => sum + (counts.waiting ?? 0), 0)
  const [slowest] = Object.entries(series.byType).sort(([, a], [, b]) => (b.p95Ms ?? 0) - (a.p95Ms ?? 0))
  return [
    say`${thousands(last?.done ?? 0)} in the last minute, ${thousands(present?.done ?? 0)} in this one`,
    ...(all === 0 ? [] : [say`failed ${((hour.failed / all) * 100).toFixed(1)} %`]),
    ...(waiting === 0
      ? []
      : [
          say`${thousands(waiting)} waiting, ${nextDueAt === null ? 'held' : `next ${soon(nextDueAt - now)}`}`,
        ]),
    ...(slowest && slowest[1].p95Ms !== null
      ? [paint.dim(say`slowest ${slowest[0]}: p95 ${quantileWords(slowest[1].p95Ms)}`)]
      : []),
  ]
}

const soon = (leftMs: number) => (leftMs <= 0 ? 'now' : `in ${span(leftMs)}`)
