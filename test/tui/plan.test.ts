import { describe, expect, it } from 'vitest'
import { readSet } from '../../src/cli/set-values.ts'
import { maskText } from '../../src/domain/mask.ts'
import { shellWords } from '../../src/domain/shell-words.ts'
import { equivalentCommand } from '../../src/tui/plan.ts'

describe('the command that does the same', () => {
  const commandOf = (path: string, value: unknown) => {
    const set = [{ path, value, add: false }]
    const plan = { of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys: [7] }, set } as const
    return equivalentCommand({ plan, reason: '', amount: null, targets: [], takesGuarded: false }, '')
  }

  it('puts quotes around a value that is set alone, so that a secret with blanks in it is hidden whole', () => {
    for (const value of ['hunter 2', 'two  words', '$x `y`', "it's 'so'", 'a" b', 7]) {
      expect(maskText(commandOf('card.password', value))).toMatch(/^wf jobs retry 7 --set card\.password='?\*\*\*'?$/)
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
