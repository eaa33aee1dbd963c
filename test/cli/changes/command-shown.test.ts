import { describe, expect, it } from 'vitest'
import { keysInJson, shownCommand, shownKeys } from '../../../src/cli/changes/command-shown.ts'
import { cleanJson, revealedJson } from '../../../src/domain/cleaner.ts'
import { maskText } from '../../../src/domain/mask.ts'

// Together 687 683 679 675 671 are the digits of a card.
const keys = '699 695 691 687 683 679 675 671 667 663'

describe('a command as it is shown', () => {
  it('shows keys of jobs whole, though several in a row look like a card', () => {
    expect(maskText(keys)).toContain('***')
    expect(shownKeys(keys).text).toBe(keys)
    expect(shownCommand(`wf jobs cancel ${keys} --reason x`).text).toBe(`wf jobs cancel ${keys} --reason x`)
    expect(shownCommand(`operation 2: wf dlq discard ${keys}, 10 targets`).text).toBe(`operation 2: wf dlq discard ${keys}, 10 targets`)
  })

  it('keeps them whole in a JSON document too, and hides what is secret behind them', () => {
    const document = (text: string) => ({ selector: keysInJson(text) })
    expect(cleanJson(document(keys))).toBe(JSON.stringify({ selector: keys }))
    expect(revealedJson(document(keys))).toBe(JSON.stringify({ selector: keys }))
    expect(cleanJson(document(`${keys} --error 4111111111111111`))).toBe(JSON.stringify({ selector: `${keys} --error ***` }))
  })

  it('hides what is secret behind them', () => {
    expect(shownCommand("wf jobs retry 7 --set card.password='hunter 2'").text).not.toContain('hunter')
    expect(shownCommand(`wf jobs cancel 7 --reason '4111 1111 1111 1111'`).text).toBe("wf jobs cancel 7 --reason '***'")
    expect(shownCommand('wf incidents resolve --error 4111111111111111').text).not.toContain('4111')
  })
})
