/** The lines around every screen: location and alarms, tabs, status, keys. */
import { joined, Safe, say } from '../../terminal/safe.ts'
import { counted, span, thousands } from '../../terminal/time.ts'
import { commandsLike, keyFor, screens, shortHelp } from '../keys.ts'
import type { Item } from '../items.ts'
import type { RenderContext } from '../parts/layout.ts'
import { cutLine, ends, sized, widthOf } from '../parts/line.ts'
import { besideFrom, itemsOf, listOf, selectedIndex, type State } from '../state.ts'

export function headerLines(state: State, context: RenderContext): readonly Safe[] {
  const name = say` ${context.paint.bold('wf')} · ${place(state)}`
  const whole = summary(state, context, false)
  // Alarms are shortened before they are cut for a path.
  return [
    ends(name, widthOf(whole) + 20 <= context.width ? whole : summary(state, context, true), context.width),
    tabs(state, context),
  ]
}

/** Keeps the end of a long path. */
function place({ figures }: State): string {
  const location = figures?.location ?? ''
  return location.length <= 40 ? location : `…${location.slice(-39)}`
}

function summary({ figures, now }: State, { paint }: RenderContext, isShort: boolean): Safe {
  if (figures === null) return say``
  const total = (state: 'failed' | 'dead') =>
    figures.types.reduce((sum, { counts }) => sum + (counts[state] ?? 0), 0)
  const failed = figures.counted ? total('failed') : figures.causes.reduce((sum, { count }) => sum + count, 0)
  const dead = total('dead')
  const open = figures.breakers.filter(({ mode }) => mode !== 'closed').length
  const oldest = Math.min(...figures.types.map(({ oldestDueAt }) => oldestDueAt ?? Number.POSITIVE_INFINITY))
  const paused = figures.types.filter(({ pausedAt }) => pausedAt !== null).length
  const parts = [
    failed > 0
      ? paint.red(say`▲ ${isShort ? thousands(failed) : counted(failed, 'incident')}`)
      : paint.green('no incidents'),
    ...(open > 0 ? [paint.red(say`■ ${isShort ? open : say`${counted(open, 'breaker')} not closed`}`)] : []),
    ...(dead > 0 ? [say`${thousands(dead)} dead`] : []),
    ...(paused > 0 ? [paint.yellow(say`${isShort ? paused : counted(paused, 'type')} paused`)] : []),
    ...(Number.isFinite(oldest) && now - oldest >= 1_000
      ? [say`${isShort ? 'due' : 'oldest due'} ${span(now - oldest)}`]
      : []),
  ]
  return joined(parts, isShort ? '  ' : '   ')
}

function tabs({ screen, cause }: State, { paint, width }: RenderContext): Safe {
  const named = screens.map(({ screen: each, title }) => {
    const text = `${keyFor(each)} ${title}`
    return each === screen
      ? paint.inverse(paint.bold(new Safe(`[${text}${cause !== null && each === 'incidents' ? ' ›' : ''}]`)))
      : paint.dim(new Safe(` ${text} `))
  })
  const whole = joined(named, '')
  if (widthOf(whole) <= width) return sized(whole, width)
  const short = screens.map(({ screen: each, title }) =>
    each === screen
      ? paint.inverse(paint.bold(new Safe(`[${keyFor(each)} ${title}]`)))
      : paint.dim(keyFor(each)),
  )
  return sized(joined(short, ' '), width)
}

/** The status line and the help line. */
export function footerLines(state: State, context: RenderContext): readonly Safe[] {
  return [cutLine(statusLine(state, context), context.width), helpLine(state, context)]
}

function statusLine(state: State, { paint }: RenderContext): Safe {
  const { overlay, notice } = state
  if (overlay?.kind === 'prompt') return say` ${overlay.of === 'filter' ? '/' : ':'} ${overlay.text}█`
  const said = notice && say`${notice.tone === 'good' ? paint.green('✓') : paint.red('!')} ${notice.text}`
  const filter = state.filters[listOf(state)]
  const items = itemsOf(state)
  const parts = [
    ...(said ? [said] : []),
    ...(state.marking !== null ? [paint.yellow('marking all …')] : []),
    ...(state.marks.size > 0 ? [paint.yellow(say`${thousands(state.marks.size)} marked`)] : []),
    ...(filter ? [say`filter: ${filter.text}`] : []),
    ...(said === null && items !== null && items.length > 0 && state.screen !== 'overview'
      ? [paint.dim(countWords(state, items))]
      : []),
  ]
  return say` ${joined(parts, ' · ')}`
}

/** Returns the position in the list, as far as its length is known. */
function countWords(state: State, items: readonly Item[]): string {
  const page = state.pages[listOf(state)]
  if (page === undefined) return ''
  const { first, total, more } = page
  const { fromEnd, passed } = page.place
  const index = selectedIndex(state, items)
  const words = (number: number, count: number) => `${thousands(number + 1)} of ${thousands(count)}`
  if (first !== null && total !== null) return words(first + index, total)
  if (!fromEnd || !more)
    return `${words((fromEnd ? 0 : passed) + index, passed + items.length)}${more ? '+' : ''}`
  const below = passed + items.length - 1 - index
  return below === 0 ? 'the last' : `${thousands(below)} before the last`
}

function helpLine(state: State, { paint, width }: RenderContext): Safe {
  const { overlay } = state
  // An error takes the whole line.
  if (overlay?.kind === 'prompt')
    return sized(
      overlay.error === null ? paint.dim(promptHelp(overlay)) : paint.red(say` ${overlay.error}`),
      width,
    )
  const age = freshness(state, paint)
  const room = width - widthOf(age) - 2
  let line = say``
  for (const { key, word } of shortHelp(listOf(state), state.readOnly)) {
    const longer = say`${line} ${paint.bold(key)} ${paint.dim(word)} `
    if (widthOf(longer) > room) break
    line = longer
  }
  return ends(line, age, width)
}

function promptHelp(prompt: Extract<State['overlay'], { kind: 'prompt' }>): Safe {
  if (prompt.of === 'filter')
    return say` --type --state --kind --error --code --since --where … or words of the error · Enter applies, Esc cancels`
  return say` ${joined(commandsLike(prompt.text).slice(0, 12), '  ')}`
}

/** Shows how fresh the data are. */
function freshness({ failure, frozen, readAt, now, size }: State, paint: RenderContext['paint']): Safe {
  if (failure)
    return paint.red(
      say`stale ${span(Math.max(0, now - failure.since))}${size.columns >= besideFrom ? say`: ${failure.why}` : ''}`,
    )
  if (frozen) return paint.yellow(say`FROZEN ${span(Math.max(0, now - (readAt ?? now)))}`)
  return readAt === null ? say`` : paint.dim('live')
}
