import { describe, expect, it } from 'vitest'
import { maskedTargets } from '../../src/messages/operation-messages.ts'
import { commandInJson, shownCommand, shownSelector } from '../../src/terminal/safe.ts'
import { cleanJson, revealedJson } from '../../src/text/sanitize.ts'
import { quoted, shellWords } from '../../src/text/shell-words.ts'

const keys = '699 695 691 687 683 679 675 671 667 663'
/** As a fingerprint can be. */
const digits = '4111111111111111'

describe('a command that wf shows', () => {
  it.each([
    `wf jobs cancel ${keys} --reason x`,
    `wf incidents resolve --type charge --where variables.customer=7 ${keys}`,
    `wf incidents resolve --type token= ${keys}`,
    `wf incidents resolve --fingerprint ${digits} --retries 3`,
    `wf incidents resolve --fingerprint 3fa94c1d0b7e2a65,${digits}`,
    `wf undo ${digits} --store /srv/wf.db`,
    `operation 2: wf dlq discard ${keys}, 10 targets`,
    `wf types resume 'auth\`=' 'x;touch PWNED;#'`,
  ])('keeps keys, fingerprints and names: %s', (command) => {
    expect(shownCommand(command).text).toBe(command)
    expect(cleanJson({ command: commandInJson(command) })).toBe(JSON.stringify({ command }))
    expect(revealedJson({ command: commandInJson(command) })).toBe(JSON.stringify({ command }))
  })

  it.each([
    ["wf jobs retry 7 --set card.password='hunter 2'", 'hunter'],
    [`wf jobs retry 7 --set 'card.password=it'\\''s hunter'`, 'hunter'],
    [`wf jobs retry 7 --set 'variables["a.pin"]=4711'`, '4711'],
    ['wf jobs list --where=variables.auth.user=hunter', 'hunter'],
    [`wf jobs cancel 7 --reason 'password: hunter2'`, 'hunter'],
    [`wf incidents resolve --error 'Bearer hunter-hunter' ${keys}`, 'hunter'],
    ['undone by password=hunter2', 'hunter'],
    [`wf enqueue pay --variables '{"password":"hunter2","n":1}'`, 'hunter'],
    [`wf jobs retry 7 --set 'password=hunter2`, 'hunter'],
  ])('masks secrets: %s', (command, secret) => {
    expect(shownCommand(command).text).not.toContain(secret)
    expect(cleanJson({ command: commandInJson(command) })).not.toContain(secret)
    expect(shownCommand(command).text.slice(0, 8)).toBe(command.slice(0, 8))
  })

  it('stays a command of as many words when a secret in it is masked', () => {
    for (const word of [`auth=a'b;c`, 'password="x', `token: 'a b'`, '--where=pin=1 2', `{"pin":"1'2"}`]) {
      const words = shellWords(shownCommand(`wf jobs list ${quoted(word)} 17`).text)
      expect([word, words.length, words[4]]).toEqual([word, 5, '17'])
      expect(words[3]).toContain('***')
    }
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
      expect(JSON.parse(cleanJson({ line: commandInJson(line) }))).toEqual({ line })
    }
  })
})

describe('the targets of an operation', () => {
  it('keep keys whole for verbs of jobs, and mask names that hold secrets', () => {
    expect(maskedTargets({ verb: 'cancel', selector: `${keys} … (300 in all)` })).toBe(
      `${keys} … (300 in all)`,
    )
    expect(maskedTargets({ verb: 'forget', selector: '687 charge token=hunter2' })).toBe(
      '687 charge token=***',
    )
    expect(maskedTargets({ verb: 'pause', selector: 'https://u:p@h/' })).toBe('https://***@h/')
    expect(maskedTargets({ verb: 'retry', selector: keys })).toBe(keys)
    expect(shownSelector(`--error 'pin: 4711' ${keys}`).text).toBe(`--error 'pin: ***' ${keys}`)
  })
})

describe('a JSON document', () => {
  it('masks numbers by their names, and leaves keys, counts and times', () => {
    const document = { key: 4111111111111111, variables: { digits: 4111111111111111, pin: 1234 } }
    expect(JSON.parse(cleanJson(document))).toEqual({
      key: 4111111111111111,
      variables: { digits: 4111111111111111, pin: '***' },
    })
    expect(JSON.parse(revealedJson(document))).toEqual(document)
  })
})
