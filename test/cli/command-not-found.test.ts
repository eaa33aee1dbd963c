import { describe, expect, it } from 'vitest'
import { missingCommand } from '../../src/cli/command-not-found.ts'

const commands = [
  'enqueue',
  'run-worker',
  'jobs list',
  'jobs show',
  'jobs retry',
  'incidents list',
  'incidents resolve',
  'db status',
]

describe('a command that does not exist', () => {
  it.each([
    [['enqueu'], 'did you mean wf enqueue?'],
    [['run'], 'did you mean wf run-worker?'],
    [['jobs', 'lits'], 'did you mean wf jobs list?'],
    [['job', 'list'], 'did you mean wf jobs list?'],
    [['incidents', 'reslove', '--json'], 'did you mean wf incidents resolve?'],
    [['inc', 'list'], 'did you mean wf incidents list?'],
    [['jobs', 'explode'], 'did you mean wf jobs list|show|retry?'],
    [['completely', 'different'], 'wf --help lists all commands'],
    [['help', 'jobs', 'list'], 'wf jobs list --help'],
    [['--json', 'jobs'], 'put flags after the command: wf jobs list --json'],
    [['__proto__'], 'wf --help lists all commands'],
  ])('%j: %s', (typed, hint) => {
    expect(missingCommand(typed, commands)).toMatchObject({ code: 'usage', hint })
  })

  it('tells words that a command does not take', () => {
    expect(missingCommand(['jobs', 'list', 'please'], commands).message).toBe(
      'unexpected argument "please": wf jobs list takes no arguments',
    )
  })
})
