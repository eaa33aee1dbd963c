/** What lies over a screen for a while: help, the panel before a change, a command to copy. */
import { say, type Safe } from '../../cli/safe.ts'
import { counted, thousands } from '../../cli/time.ts'
import { isNothing } from '../confirm.ts'
import { bindings, keyWords, type Binding } from '../keys.ts'
import type { Look } from '../look.ts'
import { over, panel } from '../parts/panel.ts'
import { sized, wrapped } from '../parts/line.ts'
import { equivalentCommand, takesRetries, usualTripMinutes, type Plan } from '../plan.ts'
import type { Confirm, Overlay, State, Target } from '../state.ts'

export function withOverlay(state: State, body: readonly Safe[], look: Look): readonly Safe[] {
  const { overlay } = state
  switch (overlay?.kind) {
    case 'help':
      return helpLines(overlay, look)
    case 'confirm':
      return over(body, confirmLines(state, overlay, look))
    case 'copy':
      return over(body, copyLines(overlay, look))
    default:
      return body
  }
}

const groups: Readonly<Record<Binding['group'], string>> = { move: 'MOVE', look: 'LOOK', change: 'CHANGE', leave: 'LEAVE' }

function helpLines({ scroll }: Extract<Overlay, { kind: 'help' }>, { paint, width, height }: Look): readonly Safe[] {
  const group = (name: Binding['group']) => [
    paint.bold(groups[name]),
    ...bindings.filter((binding) => binding.group === name).map(({ keys, words }) => say`  ${keys.map(keyWords).join(' ').padEnd(20)}${words}`),
  ]
  const [left, right] = [
    [...group('move'), ...group('leave')],
    [...group('look'), ...group('change')],
  ]
  const lines = width >= twoColumnsFrom ? columns(left, right) : [...left, ...right]
  const room = Math.max(0, height - 2)
  const first = Math.min(scroll, Math.max(0, lines.length - room))
  const title = lines.length > room ? 'keys · j k move, any other key closes' : 'keys · any key closes'
  return panel(title, lines.slice(first, first + room), width).slice(0, height)
}

const twoColumnsFrom = 100
const columnWidth = 56

function columns(left: readonly Safe[], right: readonly Safe[]): readonly Safe[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => say`${sized(left[row] ?? say``, columnWidth)} ${right[row] ?? ''}`)
}

function copyLines({ command, copied }: Extract<Overlay, { kind: 'copy' }>, { paint, width }: Look): readonly Safe[] {
  const told = copied ? paint.green('the terminal was told to copy it') : paint.dim('y copies it by the terminal (OSC 52), any other key closes')
  return panel('as a command', [...wrapped(command, Math.min(width, 110) - 4).map((line) => paint.cyan(line)), told], width)
}

function confirmLines(state: State, confirm: Confirm, { paint, width, height }: Look): readonly Safe[] {
  const { plan, reason, typing, amount } = confirm
  const room = Math.min(width, 110) - 4
  const why = typing
    ? say`reason: ${reason}█  ${paint.dim('Enter ends it')}`
    : say`reason: ${reason === '' ? paint.dim('none (r gives one)') : reason}`
  const command = wrapped(say`${equivalentCommand(confirm, state.suffix)}`, room)
  const lines = [
    ...countLines(confirm, { paint, room }),
    ...amountLine(plan, amount, paint),
    ...(plan.of === 'operation' ? [] : [why]),
    ...command.slice(0, Math.max(1, height - 12)).map((line) => paint.cyan(line)),
    keysLine(confirm, paint),
  ]
  return panel(titleOf(plan), lines, width)
}

const deeds = {
  resolve: 'resolve: they run again',
  retry: 'retry: they run again',
  dlq_retry: 'retry dead letters: they run again',
  discard: 'discard dead letters: they never run again',
  cancel: 'cancel: they never run again',
} as const

export function titleOf(plan: Plan): string {
  switch (plan.of) {
    case 'jobs':
      return plan.set ? `${deeds[plan.verb]}, with changed variables` : deeds[plan.verb]
    case 'breaker':
      return plan.verb === 'trip' ? `trip the breaker ${plan.name}: nothing is let through` : `close the breaker ${plan.name}`
    case 'type':
      return plan.verb === 'pause' ? `pause ${plan.type}: running jobs finish, none starts` : `resume ${plan.type}`
    default:
      return 'undo'
  }
}

function countLines({ plan, status, targets, guarded, done }: Confirm, { paint, room }: { paint: Look['paint']; room: number }): readonly Safe[] {
  if (status === 'counting') return [paint.dim('counting …')]
  if (plan.of === 'operation') return targets.flatMap(({ type }) => wrapped(type, room))
  if (plan.of !== 'jobs') return status === 'working' ? [say`at work …`] : []
  const count = counted(targets.length, 'job')
  return [
    status === 'working' ? say`${thousands(done)} of ${count} …` : say`${paint.bold(count)}${targets.length === 0 ? ': nothing to do' : ''}`,
    ...groupLines(targets).slice(0, 4),
    ...(guarded.length > 0
      ? [
          paint.yellow(
            say`${thousands(guarded.length)} passed by, it would do harm again: ${[...new Set(guarded.map(({ kind }) => kind))].join(', ')} (g takes them too)`,
          ),
        ]
      : []),
  ]
}

/** By kind and type, the largest first, each with a few of its keys. */
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

function amountLine(plan: Plan, amount: number | null, paint: Look['paint']): readonly Safe[] {
  if (takesRetries(plan)) return [say`retries: ${amount ?? paint.dim('what is left, else as enqueued')} ${paint.dim('(1-9 sets them)')}`]
  return plan.of === 'breaker' && plan.verb === 'trip' ? [say`for ${amount ?? usualTripMinutes} min ${paint.dim('(1-9 sets them)')}`] : []
}

function keysLine(confirm: Confirm, paint: Look['paint']): Safe {
  const { status } = confirm
  if (status === 'counting') return paint.dim('Esc leaves it')
  if (status === 'working') return paint.dim('Esc stops after this batch')
  if (isNothing(confirm)) return paint.dim('Esc leaves it')
  return say`${paint.bold('y')} or ${paint.bold('Enter')} does it · ${paint.bold('n')} or ${paint.bold('Esc')} leaves it`
}
