/**
 * The table of keys: commands, the help line and the help screen are all made from it, so that
 * they agree.
 */

import type { ListName } from './snapshot.ts'

export type Screen = 'overview' | 'incidents' | 'dead-letters' | 'breakers' | 'jobs' | 'workers'

export const screens: readonly { screen: Screen; title: string }[] = [
  { screen: 'overview', title: 'Overview' },
  { screen: 'incidents', title: 'Incidents' },
  { screen: 'dead-letters', title: 'Dead letters' },
  { screen: 'breakers', title: 'Breakers' },
  { screen: 'jobs', title: 'Jobs' },
  { screen: 'workers', title: 'Workers' },
]

export type Command =
  | 'down'
  | 'up'
  | 'page-down'
  | 'page-up'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | Screen
  | 'next-screen'
  | 'previous-screen'
  | 'filter'
  | 'palette'
  | 'mark'
  | 'mark-all'
  | 'explain'
  | 'attempts'
  | 'copy'
  | 'freeze'
  | 'redraw'
  | 'help'
  | 'quit'
  | 'suspend'
  | Verb

/** Commands that change the store; each asks for confirmation. */
export type Verb = 'resolve' | 'discard' | 'cancel' | 'trip' | 'close' | 'pause' | 'edit' | 'undo'

export interface Binding {
  command: Command
  /** Names as `keyName` gives them; the first one is shown. */
  keys: readonly string[]
  group: 'move' | 'view' | 'change' | 'leave'
  /** For the help screen. */
  words: string
  /** For the help line, the lowest rank first; left out there if unset. */
  short?: { word: string; rank: number }
  /** Lists whose help line shows it (default: all). */
  lists?: readonly ListName[]
}

const jobLists: readonly ListName[] = ['incidents', 'dead-letters', 'jobs']
const causeLists: readonly ListName[] = ['overview', 'causes', ...jobLists]

export const bindings: readonly Binding[] = [
  { command: 'down', keys: ['j', 'down'], group: 'move', words: 'down' },
  { command: 'up', keys: ['k', 'up'], group: 'move', words: 'up' },
  { command: 'page-down', keys: ['pgdn', 'ctrl-f'], group: 'move', words: 'page down' },
  { command: 'page-up', keys: ['pgup', 'ctrl-b'], group: 'move', words: 'page up' },
  { command: 'first', keys: ['g', 'home'], group: 'move', words: 'first row' },
  { command: 'last', keys: ['G', 'end'], group: 'move', words: 'last row' },
  {
    command: 'open',
    keys: ['enter', 'right'],
    group: 'move',
    words: 'open the selected row',
    short: { word: 'open', rank: 2 },
  },
  {
    command: 'back',
    keys: ['esc', 'left', 'backspace'],
    group: 'move',
    words: 'back; clears marks and filter',
    short: { word: 'back', rank: 9 },
  },
  ...screens.map(
    ({ screen, title }, index): Binding => ({
      command: screen,
      keys: [String(index + 1)],
      group: 'move',
      words: title,
    }),
  ),
  { command: 'next-screen', keys: ['tab'], group: 'move', words: 'next screen' },
  { command: 'previous-screen', keys: ['shift-tab'], group: 'move', words: 'previous screen' },
  {
    command: 'filter',
    keys: ['/'],
    group: 'view',
    words: 'filter by selector, as in commands',
    short: { word: 'filter', rank: 3 },
  },
  {
    command: 'palette',
    keys: [':'],
    group: 'view',
    words: 'run a command by name',
    short: { word: 'command', rank: 8 },
  },
  {
    command: 'mark',
    keys: ['space'],
    group: 'view',
    words: 'mark, to change several rows',
    short: { word: 'mark', rank: 7 },
    lists: causeLists,
  },
  {
    command: 'mark-all',
    keys: ['*'],
    group: 'view',
    words: 'mark all rows, or none',
    lists: causeLists,
  },
  {
    command: 'explain',
    keys: ['e'],
    group: 'view',
    words: 'explain the state of a job',
    short: { word: 'explain', rank: 5 },
    lists: jobLists,
  },
  {
    command: 'attempts',
    keys: ['l'],
    group: 'view',
    words: 'attempts, with stacks and causes',
    short: { word: 'attempts', rank: 6 },
    lists: jobLists,
  },
  { command: 'copy', keys: ['c'], group: 'view', words: 'show as a command to copy' },
  { command: 'freeze', keys: ['p'], group: 'view', words: 'freeze or resume the screen' },
  { command: 'redraw', keys: ['ctrl-l'], group: 'view', words: 'refresh' },
  {
    command: 'resolve',
    keys: ['R'],
    group: 'change',
    words: 'resolve or retry: run again',
    short: { word: 'resolve', rank: 4 },
    lists: causeLists,
  },
  {
    command: 'discard',
    keys: ['D'],
    group: 'change',
    words: 'discard a dead letter',
    short: { word: 'discard', rank: 4.1 },
    lists: ['dead-letters'],
  },
  {
    command: 'cancel',
    keys: ['X'],
    group: 'change',
    words: 'cancel a job: it never runs again',
    short: { word: 'cancel', rank: 4.2 },
    lists: ['causes', 'incidents', 'jobs'],
  },
  {
    command: 'edit',
    keys: ['E'],
    group: 'change',
    words: 'edit the variables in $EDITOR',
    short: { word: 'edit', rank: 4.3 },
    lists: jobLists,
  },
  {
    command: 'trip',
    keys: ['T'],
    group: 'change',
    words: 'trip a breaker: block its calls',
    short: { word: 'trip', rank: 4 },
    lists: ['breakers'],
  },
  {
    command: 'close',
    keys: ['C'],
    group: 'change',
    words: 'close a breaker',
    short: { word: 'close', rank: 4.1 },
    lists: ['breakers'],
  },
  {
    command: 'pause',
    keys: ['P'],
    group: 'change',
    words: 'pause or resume a type',
    short: { word: 'pause', rank: 4.4 },
    lists: ['overview', 'causes', 'incidents', 'jobs'],
  },
  {
    command: 'undo',
    keys: ['U'],
    group: 'change',
    words: 'undo the last change',
    short: { word: 'undo', rank: 8.5 },
  },
  { command: 'help', keys: ['?'], group: 'leave', words: 'this help', short: { word: 'help', rank: 1 } },
  { command: 'suspend', keys: ['ctrl-z'], group: 'leave', words: 'suspend; fg resumes' },
  {
    command: 'quit',
    keys: ['q', 'ctrl-c', 'ctrl-d'],
    group: 'leave',
    words: 'quit',
    short: { word: 'quit', rank: 10 },
  },
]

export const verbs: readonly Verb[] = [
  'resolve',
  'discard',
  'cancel',
  'trip',
  'close',
  'pause',
  'edit',
  'undo',
]

export function isVerb(command: Command): command is Verb {
  return (verbs as readonly Command[]).includes(command)
}

export function commandOf(key: string): Command | null {
  return bindings.find(({ keys }) => keys.includes(key))?.command ?? null
}

/** The key that is shown for a command. */
export function keyFor(command: Command): string {
  return bindings.find((binding) => binding.command === command)?.keys[0] ?? ''
}

/** Returns the keys of a list's help line, the most important first. */
export function shortHelp(list: ListName, readOnly = false): readonly { key: string; word: string }[] {
  return bindings
    .filter(({ lists, group }) => (lists?.includes(list) ?? true) && !(readOnly && group === 'change'))
    .flatMap(({ keys, short }) => (short ? [{ key: keys[0] ?? '', ...short }] : []))
    .sort((a, b) => a.rank - b.rank)
    .map(({ key, word }) => ({ key: keyWords(key), word }))
}

/** Returns the commands whose names start with the text, then those that contain it. */
export function commandsLike(text: string): readonly Command[] {
  const typed = text.trim().toLowerCase()
  const names = bindings.map(({ command }) => command).filter((command) => command !== 'palette')
  return [
    ...names.filter((name) => name.startsWith(typed)),
    ...names.filter((name) => !name.startsWith(typed) && name.includes(typed)),
  ]
}

const shown: Readonly<Record<string, string>> = {
  enter: 'Enter',
  esc: 'Esc',
  space: 'Space',
  pgdn: 'PgDn',
  pgup: 'PgUp',
  tab: 'Tab',
}

/** As a person reads it: `Enter`, `Ctrl-Z`. */
export function keyWords(key: string): string {
  return (
    shown[key] ?? (/^[a-z]{2}/.test(key) ? key.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()) : key)
  )
}
