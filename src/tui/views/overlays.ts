/** Overlays: help, the confirmation panel, a command to copy. */
import { Safe, say, shownCommand } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'
import { isNothing } from '../confirm.ts'
import { bindings, keyWords, type Binding } from '../keys.ts'
import { type RenderContext, over, panel } from '../parts/layout.ts'
import { cutLine, sized, widthOf, wrapped } from '../parts/line.ts'
import { equivalentCommand, fewKeys } from '../as-command.ts'
import { takesRetries, usualTripMinutes } from '../action.ts'
import type { Action, Confirm, Overlay, State } from '../state.ts'
import type { Target } from '../../engine/actions/targets.ts'

export function withOverlay(state: State, body: readonly Safe[], context: RenderContext): readonly Safe[] {
  const { overlay } = state
  switch (overlay?.kind) {
    case 'help':
      return helpLines(overlay, context)
    case 'confirm':
      return over(body, confirmLines(state, overlay, context))
    case 'copy':
      return over(body, copyLines(overlay, context))
    default:
      return body
  }
}

const groups: Readonly<Record<Binding['group'], string>> = {
  move: 'MOVE',
  view: 'VIEW',
  change: 'CHANGE',
  leave: 'LEAVE',
}

function helpLines(
  { scroll }: Extract<Overlay, { kind: 'help' }>,
  { paint, width, height }: RenderContext,
): readonly Safe[] {
  const keysOf = ({ keys }: Binding) => keys.map(keyWords).join(' ')
  const column = (...names: readonly Binding['group'][]) => {
    const wide =
      Math.max(
        ...bindings.filter(({ group }) => names.includes(group)).map((binding) => keysOf(binding).length),
      ) + 2
    return names.flatMap((name) => [
      paint.bold(groups[name]),
      ...bindings
        .filter(({ group }) => group === name)
        .map((binding) => say`  ${keysOf(binding).padEnd(wide)}${binding.words}`),
    ])
  }
  const [left, right] = [column('move', 'leave'), column('view', 'change')]
  const whole = widest(left) + columnGap + widest(right)
  const lines = whole <= roomOf(width) ? columns(left, right) : [...left, ...right]
  const room = Math.max(0, height - 2)
  const first = Math.min(scroll, Math.max(0, lines.length - room))
  const title = lines.length > room ? 'keys · j k move, any other key closes' : 'keys · any key closes'
  return panel(title, lines.slice(first, first + room), width).slice(0, height)
}

const columnGap = 2
const widest = (lines: readonly Safe[]) => Math.max(...lines.map(widthOf))
/** Inside a panel. */
const roomOf = (width: number) => Math.min(width, 110) - 4

function columns(left: readonly Safe[], right: readonly Safe[]): readonly Safe[] {
  const leftWidth = widest(left) + columnGap
  return Array.from(
    { length: Math.max(left.length, right.length) },
    (_, row) => say`${sized(left[row] ?? say``, leftWidth)}${right[row] ?? ''}`,
  )
}

function copyLines(
  { command, copied }: Extract<Overlay, { kind: 'copy' }>,
  { paint, width, height }: RenderContext,
): readonly Safe[] {
  const told = copied
    ? paint.green('copied through the terminal')
    : paint.dim('y copies it through the terminal (OSC 52) · any other key closes')
  const { text } = shownCommand(command)
  const room = roomOf(width)
  // With thousands of keys, only what a screen has room for is wrapped.
  const lines = wrapped(new Safe(text.slice(0, room * height)), room)
  const fits = lines.length <= height - 3 && text.length <= room * height
  const shown = fits ? lines : lines.slice(0, Math.max(1, height - 4))
  const left = text.length - shown.reduce((sum, line) => sum + line.text.length + 1, 0)
  const more = fits ? [] : [paint.yellow(say`… ${thousands(left)} more characters, copied too`)]
  return panel('as a command', [...shown.map((line) => paint.cyan(line)), ...more, told], width)
}

function confirmLines(
  state: State,
  confirm: Confirm,
  { paint, width, height }: RenderContext,
): readonly Safe[] {
  const { action, reason, typing, amount } = confirm
  const room = roomOf(width)
  const why = typing
    ? say`reason: ${reason}█  ${paint.dim('Enter when done')}`
    : say`reason: ${reason === '' ? paint.dim('none (r adds one)') : reason}`
  const [count = [], ...groupLines] = countLines(confirm, { paint, room }).map((line) => [line])
  const blocks: readonly Block[] = [
    { lines: count, givesWay: 0 },
    { lines: groupLines.flat(), givesWay: 2 },
    { lines: otherLines(confirm, { paint, room }), givesWay: 0 },
    { lines: amountLine(action, amount, paint), givesWay: 3 },
    { lines: action.of === 'operation' ? [] : [why], givesWay: typing ? 0 : 4 },
    {
      lines: wrapped(shownCommand(equivalentCommand(confirm, state.suffix, fewKeys)), room),
      givesWay: 1,
      painter: paint.cyan,
    },
    { lines: [keysLine(confirm, paint)], givesWay: 0 },
  ]
  return panel(titleOf(action), fitted(blocks, height - 2), width)
}

interface Block {
  lines: readonly Safe[]
  /** Order of removal if there is no room: the highest first; 0 always stays. */
  givesWay: number
  painter?: RenderContext['paint']['cyan']
}

/** Fits the blocks into the height; the count and the keys always stay, and a cut block ends in `…`. */
function fitted(blocks: readonly Block[], height: number): readonly Safe[] {
  let over = blocks.reduce((sum, { lines }) => sum + lines.length, 0) - height
  const kept = new Map<Block, readonly Safe[]>()
  for (const block of [...blocks].sort((a, b) => b.givesWay - a.givesWay)) {
    const gone = block.givesWay === 0 ? 0 : Math.max(0, Math.min(over, block.lines.length))
    over -= gone
    const lines = block.lines.slice(0, block.lines.length - gone)
    kept.set(
      block,
      gone > 0 && lines.length > 0 ? [...lines.slice(0, -1), say`${lines.at(-1) ?? ''} …`] : lines,
    )
  }
  return blocks.flatMap((block) => (kept.get(block) ?? []).map((line) => block.painter?.(line) ?? line))
}

const deeds = {
  resolve: 'resolve: the jobs run again',
  retry: 'retry: the jobs run again',
  dlq_retry: 'retry dead letters: their jobs run again',
  discard: 'discard dead letters: their jobs never run again',
  cancel: 'cancel: the jobs never run again',
} as const

export function titleOf(action: Action): string {
  switch (action.of) {
    case 'jobs':
      return action.set ? `${deeds[action.verb]}, with changed variables` : deeds[action.verb]
    case 'breaker':
      return action.verb === 'trip'
        ? `trip breaker ${action.name}: block its calls`
        : `close breaker ${action.name}`
    case 'type':
      return action.verb === 'pause'
        ? `pause ${action.type}: running jobs finish, no new ones start`
        : `resume ${action.type}`
    default:
      return 'undo'
  }
}

/** Offers the alternative action. */
function otherLines(
  { action, status, typing }: Confirm,
  { paint, room }: { paint: RenderContext['paint']; room: number },
): readonly Safe[] {
  if (action.of !== 'jobs' || action.other?.words === undefined || status === 'working' || typing) return []
  return [cutLine(say`${paint.bold('a')} switches to ${action.other.words}`, room)]
}

function countLines(
  { action, status, targets, guarded, done }: Confirm,
  { paint, room }: { paint: RenderContext['paint']; room: number },
): readonly Safe[] {
  if (status === 'counting') return [paint.dim('counting …')]
  if (action.of === 'operation') return targets.flatMap(({ type }) => wrapped(shownCommand(type), room))
  if (action.of !== 'jobs') return status === 'working' ? [say`working …`] : []
  const count = counted(targets.length, 'job')
  const gone = (action.selector.keys?.length ?? 0) - targets.length - guarded.length
  const goneWords =
    gone > 0 && Object.keys(action.selector).length === 1
      ? `; ${thousands(gone)} of the selected jobs no longer match`
      : ''
  return [
    status === 'working'
      ? say`${thousands(done)} of ${count} …`
      : say`${paint.bold(count)}${targets.length === 0 ? ': nothing to do' : ''}${goneWords}`,
    ...groupLines(targets).slice(0, 4),
    ...(guarded.length > 0
      ? [
          paint.yellow(
            say`${thousands(guarded.length)} skipped, running them again would do harm: ${[...new Set(guarded.map(({ kind }) => kind))].join(', ')} (g includes them)`,
          ),
        ]
      : []),
  ]
}

/** Groups targets by kind and type, the largest first, each with a few keys. */
function groupLines(targets: readonly Target[]): readonly Safe[] {
  const sorted = new Map<string, Target[]>()
  for (const target of targets) {
    const name = `${target.kind} of ${target.type}`
    const list = sorted.get(name)
    if (list) list.push(target)
    else sorted.set(name, [target])
  }
  return [...sorted]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name, list]) => {
      const keys = list.slice(0, 5).map(({ key }) => key)
      return say`  ${thousands(list.length)} ${name}  (${keys.join(', ')}${list.length > keys.length ? ', …' : ''})`
    })
}

function amountLine(action: Action, amount: number | null, paint: RenderContext['paint']): readonly Safe[] {
  if (takesRetries(action))
    return [say`retries: ${amount ?? paint.dim('those left, else as enqueued')} ${paint.dim('(1-9 to set)')}`]
  return action.of === 'breaker' && action.verb === 'trip'
    ? [say`for ${amount ?? usualTripMinutes} min ${paint.dim('(1-9 to set)')}`]
    : []
}

function keysLine(confirm: Confirm, paint: RenderContext['paint']): Safe {
  const { status } = confirm
  if (status === 'counting') return paint.dim('Esc cancels')
  if (status === 'working') return paint.dim('Esc stops after this batch')
  if (isNothing(confirm)) return paint.dim('Esc cancels')
  return say`${paint.bold('y')} or ${paint.bold('Enter')} confirms · ${paint.bold('n')} or ${paint.bold('Esc')} cancels · ${paint.bold('c')} copies`
}
