import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, manifestCommands } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

async function script(shell: string): Promise<string> {
  const { code, out, err } = await cli(['completion', shell])
  expect([code, err]).toEqual([0, ''])
  const path = join(temporaryDirectory(), `wf.${shell}`)
  writeFileSync(path, out)
  return path
}

function lines(shell: string, args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trim().split('\n')
}

describe('wf completion', () => {
  it('bash completes topics, verbs, flags and the values of closed sets', async () => {
    const path = await script('bash')
    const complete = (...words: readonly string[]) => {
      const typed = words.map((word) => `"${word}"`).join(' ')
      const run = `source ${path}; COMP_WORDS=(wf ${typed}); COMP_CWORD=${words.length}; _wf; printf '%s\\n' "\${COMPREPLY[@]}"`
      return lines('bash', ['-c', run])
    }
    expect(complete('jo')).toEqual(['jobs'])
    expect(complete('enq')).toEqual(['enqueue'])
    expect(complete('jobs', 're')).toEqual(['retry'])
    expect(complete('jobs', 'list', '--wo')).toEqual(['--worker'])
    expect(complete('enqueue', '--prio')).toEqual(['--priority'])
    expect(complete('jobs', 'list', '--state', 'fa')).toEqual(['failed'])
    expect(complete('nonsense', '--')).toEqual([''])
  })

  it.skipIf(!has('fish'))('fish completes the same, and says what each is', async () => {
    const path = await script('fish')
    const complete = (line: string) =>
      lines('fish', ['--no-config', '-c', `source ${path}; complete -C ${JSON.stringify(line)}`])
    expect(complete('wf jo')).toEqual(['jobs\tLook at jobs, run them again, cancel them.'])
    expect(complete('wf jobs re')).toEqual(['retry\tRetry jobs now'])
    expect(complete('wf jobs list --work')).toEqual([expect.stringMatching(/^--worker\t/)])
    expect(complete('wf jobs list --state fa')).toEqual([expect.stringMatching(/^failed/)])
  })

  it.skipIf(!has('zsh'))('zsh reads its script and finds verbs and flags in it', async () => {
    const path = await script('zsh')
    const stubs = `_describe() { [[ $1 == -o ]] && shift; print -l -- "\${(@P)2}" }
      compdef() { }; _files() { }; compadd() { shift; print -l -- "$@" }`
    const complete = (...words: readonly string[]) =>
      lines('zsh', [
        '-fc',
        `${stubs}; source ${path}; words=(wf ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _wf`,
      ])
    expect(complete('')).toEqual(expect.arrayContaining(['jobs:Look at jobs, run them again, cancel them.']))
    expect(complete('jobs', '')).toEqual(expect.arrayContaining(['retry:Retry jobs now']))
    expect(complete('jobs', 'list', '-')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^--worker:/)]),
    )
    expect(complete('jobs', 'list', '--state', '')).toContain('failed')
  })

  it('has every command, and no word that a shell would run', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await cli(['completion', shell])
      for (const { id } of manifestCommands())
        for (const word of id.split(':')) expect([shell, out.includes(word)]).toEqual([shell, true])
      expect(out).not.toMatch(/<%=|`/)
    }
  })
})
