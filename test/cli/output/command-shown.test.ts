import { describe, expect, it } from 'vitest'
import {
  commandInJson,
  meantInJson,
  shownCommand,
  shownMeant,
  shownSelector,
} from '../../../src/views/command-shown.ts'
import { cleanDocument, revealedJson } from '../../../src/text/sanitize.ts'
import { Foreign, maskText } from '../../../src/text/mask.ts'

// Together 687 683 679 675 671 are the digits of a card.
const keys = '699 695 691 687 683 679 675 671 667 663'
const card = '4111 1111 1111 1111'
/** As a fingerprint can be. */
const digits = '4111111111111111'

describe('a command as it is shown', () => {
  it.each([
    `wf jobs cancel ${keys} --reason x`,
    `wf incidents resolve --type charge --where variables.customer=7 ${keys}`,
    `wf incidents resolve --fingerprint ${digits} --retries 3`,
    `wf incidents resolve --fingerprint 3fa94c1d0b7e2a65,${digits}`,
    `wf undo ${digits} --store /srv/wf.db`,
    `operation 2: wf dlq discard ${keys}, 10 targets`,
  ])('keeps what is wf’s own: %s', (command) => {
    expect(maskText(command)).toContain('***')
    expect(shownCommand(command).text).toBe(command)
    expect(cleanDocument({ command: commandInJson(command) })).toBe(JSON.stringify({ command }))
    expect(revealedJson({ command: commandInJson(command) })).toBe(JSON.stringify({ command }))
  })

  it.each([
    ["wf jobs retry 7 --set card.password='hunter 2'", 'hunter'],
    [`wf jobs cancel 7 --reason '${card}'`, '4111'],
    [`wf incidents resolve --error ${digits} ${keys}`, '4111'],
    [`wf types pause ${card}`, '4111'],
    [`undone by ${card}`, '4111'],
    [`operation 2: wf dlq discard 7 (refunded to ${card})`, '4111'],
    [`wf jobs retry 7 \\`, 'hunter'],
  ])('hides what is somebody’s secret: %s', (command, secret) => {
    expect(shownCommand(command).text).not.toContain(secret)
    expect(cleanDocument({ command: commandInJson(command) })).not.toContain(secret)
    expect(shownCommand(command).text.slice(0, 8)).toBe(command.slice(0, 8))
  })

  it('loses no character', () => {
    for (const line of [
      'wf jobs list \\',
      `wf jobs list "a`,
      'wf',
      '',
      ' wf  jobs\tlist 1',
      `wf jobs list --where 'x`,
    ]) {
      expect(JSON.parse(cleanDocument({ line: commandInJson(line) }))).toEqual({ line })
    }
  })
})

describe('what an operation was about', () => {
  it('keeps keys whole for verbs of jobs, and hides names that look like secrets', () => {
    expect(shownMeant({ verb: 'cancel', selector: `${keys} … (300 in all)` }).text).toBe(
      `${keys} … (300 in all)`,
    )
    expect(shownMeant({ verb: 'forget', selector: `687 charge ${card}` }).text).toBe('687 charge ***')
    expect(shownMeant({ verb: 'pause', selector: card }).text).toBe('***')
    expect(cleanDocument(meantInJson({ verb: 'retry', selector: keys }))).toBe(JSON.stringify(keys))
    expect(shownSelector(`--error '${card}' ${keys}`).text).toBe(`--error '***' ${keys}`)
  })
})

describe('a document of wf’s own', () => {
  it('keeps its numbers, and hides those of data that somebody else brought', () => {
    const document = {
      key: 4111111111111111,
      variables: new Foreign({ digits: 4111111111111111, pin: 1234 }),
    }
    expect(JSON.parse(cleanDocument(document))).toEqual({
      key: 4111111111111111,
      variables: { digits: '***', pin: '***' },
    })
    expect(JSON.parse(revealedJson(document))).toEqual({
      key: 4111111111111111,
      variables: { digits: 4111111111111111, pin: 1234 },
    })
  })
})
