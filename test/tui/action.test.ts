import { describe, expect, it } from 'vitest'
import { readSet } from '../../src/cli/input/set-values.ts'
import { maskText } from '../../src/text/mask.ts'
import { shellWords } from '../../src/text/shell-words.ts'
import { equivalentCommand, meantWords } from '../../src/tui/as-command.ts'
import { actionOf } from '../../src/tui/action.ts'
import type { Action } from '../../src/tui/state.ts'
import type { Item } from '../../src/tui/items.ts'
import type { Target } from '../../src/engine/actions/targets.ts'
import { breaker, incident, press, read, start, typeRow } from './support/scene.ts'

describe('the command that does the same', () => {
  const commandOf = (path: string, value: unknown) => {
    const set = [{ path, value, add: false }]
    const action = { of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys: [7] }, set } as const
    return equivalentCommand({ action, reason: '', amount: null, targets: [], takesGuarded: false }, '')
  }

  it('puts quotes around a value that is set alone, so that a secret with blanks in it is hidden whole', () => {
    for (const value of ['hunter 2', 'two  words', '$x `y`', "it's 'so'", 'a" b', 7]) {
      expect(maskText(commandOf('card.password', value))).toMatch(
        /^wf jobs retry 7 --set card\.password='?\*\*\*'?$/,
      )
    }
  })

  it('sets the same when it is typed', () => {
    for (const path of ['note', 'a["b c"]', "it's"]) {
      for (const value of ['hunter 2', "it's", '7', 7, null, { a: [1, 'x y'] }]) {
        const words = shellWords(commandOf(path, value))
        expect(words).toHaveLength(6)
        expect(readSet(words[5] ?? '', '--set')).toEqual({ path, value })
      }
    }
  })
})

const cause = (fingerprint: string, type = 'mail') =>
  ({ kind: 'cause', id: `cause:${fingerprint}`, cause: { fingerprint, type } }) as unknown as Item

describe('what a change is about', () => {
  it('is what is marked, wherever the selection stands', () => {
    const marked = press(
      read(start({ screen: 'incidents' }), [cause('ab', 'mail'), cause('cd', 'sms')]),
      'mark',
    )
    expect(actionOf(marked, 'pause')).toEqual({ of: 'type', verb: 'pause', type: 'mail' })
    expect(actionOf(marked, 'resolve')).toMatchObject({ selector: { fingerprints: ['ab'] } })
    const one = press(read(start({ screen: 'breakers' }), [breaker('stripe'), breaker('twilio')]), 'mark')
    expect(actionOf(one, 'trip')).toEqual({ of: 'breaker', verb: 'trip', name: 'stripe' })
  })

  it('is refused where only one of what is marked would be changed', () => {
    const breakers = press(
      read(start({ screen: 'breakers' }), [breaker('stripe'), breaker('twilio')]),
      'mark-all',
    )
    expect(actionOf(breakers, 'close')).toMatch(/one breaker at a time/)
    const types = press(
      read(start({ screen: 'incidents' }), [incident(1), incident(2, { type: 'sms' })]),
      'mark-all',
    )
    expect(actionOf(types, 'pause')).toMatch(/one type at a time/)
    const same = press(read(start({ screen: 'incidents' }), [incident(1), incident(2)]), 'mark-all')
    expect(actionOf(same, 'pause')).toMatchObject({ type: 'mail' })
  })

  it('never mixes causes with what else stands on the overview', () => {
    const overview = press(read(start(), [cause('ab'), typeRow('mail')]), 'mark-all')
    for (const verb of ['resolve', 'cancel'] as const)
      expect(actionOf(overview, verb)).toMatch(/either causes or jobs/)
    const type = press(read(start(), [cause('ab'), typeRow('mail')]), 'last', 'mark', 'first')
    expect(actionOf(type, 'resolve')).toBe('choose a job to resolve it')
  })
})

describe('the command of a panel', () => {
  const command = (action: Action, targets: readonly Target[] = []) =>
    equivalentCommand({ action, reason: '', amount: null, targets, takesGuarded: false }, '')
  const target = (key: number) => ({ key, type: 'mail', kind: 'raised' })

  it('names the operation that is taken back', () => {
    expect(command({ of: 'operation', verb: 'undo' }, [target(12)])).toBe('wf undo 12')
  })

  it('cancels a cause by its fingerprint, and by keys where the filter says something else of jobs', () => {
    const of = (selector: object) => ({ of: 'jobs', verb: 'cancel', list: 'incidents', selector }) as const
    expect(command(of({ fingerprints: ['ab'], types: ['mail'] }), [target(7)])).toBe(
      'wf jobs cancel --type mail --fingerprint ab',
    )
    expect(command(of({ fingerprints: ['ab'], since: 1 }), [target(7), target(8)])).toBe('wf jobs cancel 7 8')
  })

  it('keeps on record what the command names: the selector, with the guarded kinds that were taken too', () => {
    const action = {
      of: 'jobs',
      verb: 'resolve',
      list: 'incidents',
      selector: { fingerprints: ['ab'] },
    } as const
    const targets = [target(7), { ...target(8), kind: 'crash_loop' }]
    expect(meantWords(action, { targets, takesGuarded: false })).toBe('--fingerprint ab')
    expect(meantWords(action, { targets, takesGuarded: true })).toBe(
      '--fingerprint ab --kind raised,crash_loop',
    )
    expect(meantWords({ ...action, selector: { keys: [7, 8] } }, { targets, takesGuarded: true })).toBe('7 8')
  })

  it('has all keys where it is copied, and few of many where it is read', () => {
    const keys = Array.from({ length: 30 }, (_, index) => index + 1)
    const action = { of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys } } as const
    const asked = { action, reason: 'vendor down', amount: 3, targets: [], takesGuarded: false }
    expect(shellWords(equivalentCommand(asked, ''))).toEqual([
      'wf',
      'jobs',
      'retry',
      ...keys.map(String),
      '--retries',
      '3',
      '--reason',
      'vendor down',
    ])
    expect(equivalentCommand(asked, '', 20)).toMatch(/ 19 20 …\(10 more\) --retries 3/)
  })

  it('gives the reason of a pause and of its end', () => {
    for (const verb of ['pause', 'resume'] as const) {
      const confirm = {
        action: { of: 'type', verb, type: 'mail' },
        reason: 'vendor down',
        amount: null,
        targets: [],
        takesGuarded: false,
      } as const
      expect(equivalentCommand(confirm, '')).toBe(`wf types ${verb} mail --reason 'vendor down'`)
    }
  })

  it('says where a variable is taken away, which no --set does', () => {
    const set = [{ path: 'note', value: null, remove: true, add: false }]
    expect(command({ of: 'jobs', verb: 'dlq_retry', list: 'dlq', selector: { keys: [7] }, set })).toBe(
      'removes note, which only wf dlq retry 7 --edit can do',
    )
    expect(command({ of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys: [7] }, set })).toBe(
      'removes note, which no command can do',
    )
    const more = [...set, { path: 'amount', value: 8, add: false }]
    expect(command({ of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys: [7] }, set: more })).toMatch(
      /can do; and --set amount=8$/,
    )
  })
})
