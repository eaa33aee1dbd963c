/** What can happen to the dashboard. */
import type { Command } from './keys.ts'
import type { Marks } from './selection.ts'
import type { Plan } from './action.ts'
import type { Snapshot } from './snapshot.ts'
import type { Confirm, Notice, Overlay, Size, Target } from './state.ts'

export type Event =
  | { type: 'resized'; size: Size }
  | { type: 'ticked'; now: number }
  | { type: 'read'; snapshot: Snapshot }
  /** The store was looked at, and nothing in it has changed. */
  | { type: 'looked'; at: number }
  | { type: 'failed'; why: string; at: number }
  | { type: 'command'; command: Command }
  /** A key or pasted text while something is typed. */
  | { type: 'typed'; key: string }
  | { type: 'noticed'; notice: Notice }
  /** `from`: the panel that it takes the place of; what was typed into that stays. */
  | { type: 'asked'; id: number; plan: Plan; from?: Pick<Confirm, 'reason' | 'amount'> }
  | { type: 'frozen'; id: number; targets: readonly Target[]; guarded: readonly Target[] }
  /** Every row of a list is to be marked; `more`: there are more than that. */
  | { type: 'marked'; key: string; marks: Marks; more: boolean }
  | { type: 'begun'; id: number }
  | { type: 'progressed'; id: number; done: number }
  | { type: 'ended'; id: number; notice: Notice }
  | { type: 'showed'; overlay: Overlay | null }
