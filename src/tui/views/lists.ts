/** The screens that are one list, with the detail beside it, below it, or in its place. */
import { say, type Safe } from '../../terminal/safe.ts'
import { isKind, type Item } from '../items.ts'
import { type RenderContext, beside, fill } from '../parts/layout.ts'
import { listLines } from '../parts/list.ts'
import type { ListName } from '../snapshot.ts'
import { belowFrom, isBeside, listOf, listRows, selectedIndex, type State } from '../state.ts'
import { breakerRows, causeColumns, incidentRows, jobRows, letterRows, workerRows } from './columns.ts'
import { detailLines } from './detail.ts'
import { heldBy } from './overview.ts'

/** Exactly `height` lines. */
export function listScreen(
  state: State,
  items: readonly Item[] | null,
  context: RenderContext,
): readonly Safe[] {
  if (items === null) return fill([context.paint.dim('reading …')], context.height)
  const { width, height, paint } = context
  if (items.length === 0 && !state.open) return listOnly(state, items, context)
  if (isBeside(state)) {
    const leftWidth = Math.floor((width - 3) * 0.5)
    const left = listOnly(state, items, { ...context, width: leftWidth })
    const rule = paint.dim(state.open ? '┃' : '│')
    return beside(left, detailLines(state, { ...context, width: width - leftWidth - 3 }), { leftWidth, rule })
  }
  if (!state.open) return listOnly(state, items, context)
  if (width < belowFrom) return detailLines(state, context)
  const rows = listRows(state) + 1
  return [
    ...listOnly(state, items, { ...context, height: rows }),
    paint.dim('─'.repeat(width)),
    ...detailLines(state, { ...context, height: height - rows - 1 }),
  ]
}

function listOnly(state: State, items: readonly Item[], context: RenderContext): readonly Safe[] {
  if (items.length === 0) return fill([say``, say`  ${emptyWords(state)}`], context.height)
  const list = { ...context, selected: selectedIndex(state, items), marks: state.marks }
  return fill(rowsOf(state, items, list), context.height)
}

function rowsOf(
  state: State,
  items: readonly Item[],
  context: Parameters<typeof listLines>[2],
): readonly Safe[] {
  const { now } = state
  switch (listOf(state)) {
    case 'causes':
      return listLines(
        items.filter(isKind('cause')).map(({ id, cause }) => ({ id, item: cause })),
        causeColumns(now),
        context,
      )
    case 'incidents':
      return listLines(
        items.filter(isKind('incident')).map(({ id, incident }) => ({ id, item: incident })),
        incidentRows(now),
        context,
      )
    case 'dead-letters':
      return listLines(
        items.filter(isKind('letter')).map(({ id, letter }) => ({ id, item: letter })),
        letterRows(now),
        context,
      )
    case 'breakers':
      return listLines(
        items.filter(isKind('breaker')).map(({ id, breaker }) => ({ id, item: breaker })),
        breakerRows(now, heldBy(state)),
        context,
      )
    case 'jobs':
      return listLines(
        items.filter(isKind('job')).map(({ id, job }) => ({ id, item: job })),
        jobRows(now),
        context,
      )
    default:
      return listLines(
        items.filter(isKind('worker')).map(({ id, worker }) => ({ id, item: worker })),
        workerRows(),
        context,
      )
  }
}

const nothing: Readonly<Record<ListName, string>> = {
  overview: '',
  causes: 'no open incidents: nothing waits for a person',
  incidents: 'no open incidents of this cause any more: Esc goes back',
  'dead-letters': 'no open dead letters',
  breakers: 'no breaker has ever opened',
  jobs: 'no waiting, due or running jobs; a filter such as --state completed finds others',
  workers: 'no workers registered: wf run-worker HANDLER starts one',
}

function emptyWords(state: State): string {
  const list = listOf(state)
  const filter = state.filters[list]
  const page = state.pages[list]
  if (filter && page?.more)
    return `no match yet for ${filter.text}: ${page.place.fromEnd ? 'k' : 'j'} searches on`
  return filter ? `nothing matches the filter ${filter.text}: Esc clears it` : nothing[list]
}
