import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shell } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

/** util-linux: gives a command a terminal of its own, and its standard input as what is typed. */
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const onTerminal = (command: string, typed: string, location: string) =>
  shell(`export -f wf; script -qec 'stty cols 80 -echo; ${command}; echo "exit $?"' /dev/null`, {
    env: { WF_STORE: location, TERM: 'xterm-256color', SHELL: '/bin/bash' },
    input: typed,
  })

describe.skipIf(!hasScript)('on a terminal', () => {
  // A20
  it('resolve asks when there are several, and takes a no for an answer', async () => {
    const { location, raised, resultInvalid, store } = await seededStore()
    const charged = await resultInvalid()
    const keys = await raised(2)
    const no = await onTerminal('wf incidents resolve', 'n\n', location)
    expect(no.out).toContain('2 jobs would be resolved:')
    expect(no.out).toContain(`2 raised of mail (${keys.toReversed().join(', ')})`)
    expect(no.out).toContain('passed by')
    expect(no.out).toContain(`1 result_invalid of mail (${charged})`)
    expect(no.out).toContain('Go on? [y/N]')
    expect(no.out).toContain('nothing was changed')
    expect(no.out).toContain('exit 2')
    expect((await store.counts()).failed).toBe(3)
    const yes = await onTerminal('wf incidents resolve', 'y\n', location)
    expect(yes.out).toContain('2 jobs')
    expect(yes.out).toContain('exit 0')
    expect((await store.counts()).failed).toBe(1)
  })

  // A20
  it('resolve does not ask for one, nor with --yes', async () => {
    const { location, raised, store } = await seededStore()
    await raised(1)
    expect((await onTerminal('wf incidents resolve', '', location)).out).not.toContain('[y/N]')
    await raised(3)
    expect((await onTerminal('wf incidents resolve --yes', '', location)).out).not.toContain('[y/N]')
    expect((await store.counts()).failed ?? 0).toBe(0)
  })

  it('an end of input is a no', async () => {
    const { location, dead, store } = await seededStore()
    await dead()
    const end = await onTerminal('wf dlq discard --kind exhausted', '\u0004', location)
    expect(end.out).toContain('exit 2')
    expect((await store.counts()).dead).toBe(1)
  })

  // B136
  it('has colours, and fits the terminal', async () => {
    const { location, raised } = await seededStore()
    await raised(1, 'x'.repeat(500))
    const end = await onTerminal('wf incidents list', '', location)
    expect(end.out).toContain('\u001b[31mraised')
    const lines = end.out.replace(/\u001b\[[\d;?]*[a-zA-Z]/g, '').split(/\r?\n/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('undo says which change it would take back, and takes a no for an answer', async () => {
    const { location, raised, store } = await seededStore()
    await raised(2)
    await onTerminal('wf incidents resolve --yes --reason "gateway is back"', '', location)
    const no = await onTerminal('wf undo', 'n\n', location)
    expect(no.out).toContain('operation 1: incidents resolve of all by')
    expect(no.out).toContain('(gateway is back)')
    expect(no.out).toContain('Undo it? [y/N]')
    expect((await store.counts()).failed ?? 0).toBe(0)
    const yes = await onTerminal('wf undo', 'y\n', location)
    expect(yes.out).toMatch(/2 targets .*brought back/)
    expect((await store.counts()).failed).toBe(2)
  })

  // B156
  it('what is final says so in the question', async () => {
    const { location, dead } = await seededStore()
    await dead()
    const asked = await onTerminal('wf dlq discard --kind exhausted', 'n\n', location)
    expect(asked.out).toContain('1 exhausted of mail')
    expect(asked.out).toContain('this cannot be undone')
    expect(asked.out).toContain('nothing was changed')
  })

  // B136
  it('run-worker has colours in its log, and none with --no-color or NO_COLOR', async () => {
    const { location } = await seededStore()
    const handler = join(temporaryDirectory(), 'h.mjs')
    writeFileSync(handler, "export default { type: 'mail', run() {} }\n")
    const log = (how: string) => onTerminal(`${how} wf run-worker '${handler}' --until-empty`, '', location)
    expect((await log('')).out).toContain('\u001b[')
    for (const end of [
      await log('NO_COLOR=1'),
      await onTerminal(`wf run-worker '${handler}' --until-empty --no-color`, '', location),
    ]) {
      expect(end.out).toContain('working on mail')
      expect(end.out).not.toContain('\u001b')
    }
  })
})
