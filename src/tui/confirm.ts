/** The panel that every change is confirmed in. */
import type { Event, Confirm, State, JobsAction } from './state.ts'
import { noMarks } from './selection.ts'
import { edited } from './prompt.ts'

type ConfirmEvent = Extract<
  Event,
  { type: 'proposed' | 'resolved' | 'begun' | 'progressed' | 'ended' | 'typed' }
>

export function reduceConfirm(state: State, event: ConfirmEvent): State {
  if (event.type === 'proposed') {
    const { id, action, from } = event
    const panel: Confirm = {
      kind: 'confirm',
      id,
      action,
      status: 'counting',
      targets: [],
      guarded: [],
      takesGuarded: false,
      done: 0,
      reason: from?.reason ?? '',
      typing: false,
      amount: from?.amount ?? null,
    }
    return { ...state, overlay: panel, notice: null }
  }
  const panel = state.overlay
  if (panel?.kind !== 'confirm') return event.type === 'ended' ? { ...state, notice: event.notice } : state
  if (event.type === 'typed') return typed(state, panel, event.key)
  // The panel was closed meanwhile.
  if (event.id !== panel.id) return event.type === 'ended' ? { ...state, notice: event.notice } : state
  switch (event.type) {
    case 'resolved':
      return {
        ...state,
        overlay: { ...panel, status: 'ready', targets: event.targets, guarded: event.guarded },
      }
    case 'begun':
      return { ...state, overlay: { ...panel, status: 'working', typing: false } }
    case 'progressed':
      return { ...state, overlay: { ...panel, done: event.done } }
    default:
      return { ...state, overlay: null, marks: noMarks, notice: event.notice }
  }
}

const mostCharacters = 500

function typed(state: State, panel: Confirm, key: string): State {
  const next = (change: Partial<Confirm>): State => ({ ...state, overlay: { ...panel, ...change } })
  if (panel.typing) {
    if (key === 'enter') return next({ typing: false })
    return key === 'esc'
      ? next({ typing: false, reason: '' })
      : next({ reason: edited(panel.reason, key).slice(0, mostCharacters) })
  }
  if (panel.status === 'working') return state
  if (['n', 'esc', 'q', 'ctrl-c'].includes(key) || (isNothing(panel) && ['y', 'enter'].includes(key)))
    return { ...state, overlay: null }
  if (key === 'r') return next({ typing: true })
  if (key === 'g' && panel.guarded.length > 0)
    return next({ targets: [...panel.targets, ...panel.guarded], guarded: [], takesGuarded: true })
  if (/^[1-9]$/.test(key)) return next({ amount: Number(key) })
  return key === '0' || key === 'backspace' ? next({ amount: null }) : state
}

/** Whether there is nothing to confirm. */
export function isNothing({ action, status, targets }: Confirm): boolean {
  return status === 'ready' && targets.length === 0 && (action.of === 'jobs' || action.of === 'operation')
}

/** Whether a key confirms the panel. */
export function isYes(panel: Confirm, key: string): boolean {
  return panel.status === 'ready' && !panel.typing && !isNothing(panel) && (key === 'y' || key === 'enter')
}

/** Returns the alternative action if the key is the one that switches to it (`a`), else null. */
export function otherOf({ action, status, typing }: Confirm, key: string): JobsAction | null {
  if (key !== 'a' || typing || status === 'working' || action.of !== 'jobs' || action.other === undefined)
    return null
  const { other, ...here } = action
  return { ...other, other: here }
}
