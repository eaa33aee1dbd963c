import { describe, expect, it } from 'vitest'
import {
  bindings,
  commandOf,
  commandsLike,
  isVerb,
  keyWords,
  screens,
  shortHelp,
  verbs,
} from '../../src/tui/keys.ts'
import { keysOf, type Press } from '../../src/tui/key-names.ts'

describe('the table of keys', () => {
  it('gives each key to one command', () => {
    const keys = bindings.flatMap((binding) => binding.keys)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  it.each([
    ['j', 'down'],
    ['down', 'down'],
    ['G', 'last'],
    ['enter', 'open'],
    ['esc', 'back'],
    ['2', 'incidents'],
    ['R', 'resolve'],
    ['U', 'undo'],
    ['ctrl-c', 'quit'],
    ['ctrl-d', 'quit'],
    ['ctrl-z', 'suspend'],
    ['z', null],
    ['', null],
  ])('%s is %s', (key, command) => {
    expect(commandOf(key)).toBe(command)
  })

  it('has a key for every screen and every change, and changes are capitals', () => {
    for (const { screen } of screens) expect(bindings.some(({ command }) => command === screen)).toBe(true)
    for (const verb of verbs) {
      const keys = bindings.find(({ command }) => command === verb)?.keys ?? []
      expect([verb, keys.length, keys.every((key) => /^[A-Z]$/.test(key))]).toEqual([verb, 1, true])
    }
    for (const { command, keys } of bindings)
      if (keys.some((key) => /^[A-FH-Z]$/.test(key))) expect(isVerb(command)).toBe(true)
  })

  it('shows in the help line of a screen only keys of the table, help and open first', () => {
    for (const { screen } of screens) {
      const line = shortHelp(screen)
      expect(line.slice(0, 2)).toEqual([
        { key: '?', word: 'help' },
        { key: 'Enter', word: 'open' },
      ])
      for (const { key } of line)
        expect(bindings.some(({ keys }) => keys.some((each) => keyWords(each) === key))).toBe(true)
    }
  })

  it.each<[string, Press, string]>([
    ['j', {}, 'j'],
    ['G', { shift: true }, 'G'],
    ['', { upArrow: true }, 'up'],
    ['', { pageDown: true }, 'pgdn'],
    ['', { home: true }, 'home'],
    ['\r', { return: true }, 'enter'],
    ['', { escape: true, meta: true }, 'esc'],
    [' ', {}, 'space'],
    ['c', { ctrl: true }, 'ctrl-c'],
    ['', { tab: true }, 'tab'],
    ['', { tab: true, shift: true }, 'shift-tab'],
    ['', { delete: true }, 'backspace'],
  ])('reads %j with %j as %s', (input, press, name) => {
    expect(keysOf(input, press)).toEqual([name])
  })

  it('takes keys that come together one by one', () => {
    expect(keysOf('jjG', {})).toEqual(['j', 'j', 'G'])
    expect(keysOf('\u0003\u0003', {})).toEqual(['ctrl-c', 'ctrl-c'])
    expect(keysOf('漢 字\r', {})).toEqual(['漢', 'space', '字', 'enter'])
  })

  it('finds commands by the beginning of their name first', () => {
    expect(commandsLike('res')[0]).toBe('resolve')
    expect(commandsLike('dead')).toEqual(['dead-letters'])
    expect(commandsLike('nonsense')).toEqual([])
    expect(commandsLike('palette')).toEqual([])
  })
})
