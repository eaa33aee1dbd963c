import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'
import { hasPty, openPty, type Pty } from './support/pty.ts'

const broken = join(root, 'test/tui/support/broken-screen.mjs')

/** Starts the dashboard behind a shell that notes the terminal's settings before and after. */
async function started(more = ''): Promise<{ pty: Pty; location: string }> {
  const { location, raised } = await seededStore()
  await raised(2)
  const script = `echo shell history; stty -g > before; (sh -c 'echo $PPID > pid'; exec $WF dashboard --store "${location}" ${more}); echo "exit $?"; stty -g > after; echo done`
  const pty = openPty({ script })
  await pty.until(/INCIDENTS by cause/)
  expect(pty.modes()).toMatchObject({ alternate: true, cursorHidden: true })
  return { pty, location }
}

/** What everybody is owed on every way out. */
async function restored(pty: Pty): Promise<string> {
  const shown = await pty.until(/done/)
  expect(pty.file('after')).toBe(pty.file('before'))
  expect(pty.modes()).toEqual({
    alternate: false,
    cursorHidden: false,
    mouse: 'none',
    paste: false,
    wraps: true,
  })
  expect(shown).toContain('shell history')
  expect(pty.bytes).not.toContain('\u001b[3J')
  return shown
}

describe.skipIf(!hasPty)('leaving the dashboard', () => {
  it.each([
    ['q', 'q', 0],
    ['Ctrl-C', '\u0003', 0],
    ['Ctrl-D', '\u0004', 0],
    // B127
  ])('by %s gives the terminal back', async (_, key, code) => {
    const { pty } = await started()
    pty.type(key)
    expect(await restored(pty)).toContain(`exit ${code}`)
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 143],
    ['SIGINT', 130],
    // B127
  ] as const)('by %s gives the terminal back', async (signal, code) => {
    const { pty } = await started()
    process.kill(await pty.pid(), signal)
    expect(await restored(pty)).toContain(`exit ${code}`)
  })

  // B127
  it('by Ctrl-C twice gives the terminal back', async () => {
    const { pty } = await started()
    pty.type('\u0003\u0003')
    // The second one meets the dashboard, or what is left of the process.
    expect(await restored(pty)).toMatch(/exit (0|130)/)
  })

  // B127
  it('when the store vanishes gives the terminal back, and then says so', async () => {
    const { pty, location } = await started()
    renameSync(location, `${location}.gone`)
    const shown = await restored(pty)
    expect(shown).toContain('exit 3')
    expect(shown).toMatch(/wf: .*(gone|no longer|deleted|moved|not there)/)
    renameSync(`${location}.gone`, location)
  })
})

describe.skipIf(!hasPty)('a dashboard that breaks', () => {
  // B127
  it('at an error while drawing gives the terminal back, and tells the error after that', async () => {
    const { location } = await seededStore()
    const script = `echo shell history; stty -g > before; "${process.execPath}" "${broken}" "${root}" "${location}"; echo "exit $?"; stty -g > after; echo done`
    const pty = openPty({ script })
    const shown = await restored(pty)
    expect(pty.bytes).toContain('\u001b[?1049h')
    expect(shown).toContain('told after it: ')
    expect(shown).toContain('exit 1')
    expect(pty.bytes.indexOf('told after it')).toBeGreaterThan(pty.bytes.indexOf('\u001b[?1049l'))
  })
})

describe.skipIf(!hasPty)('being away for a while', () => {
  // B127
  it('Ctrl-Z gives the shell its terminal, and fg brings the screen back', async () => {
    const { location, raised } = await seededStore()
    await raised(1)
    // A shell that has job control, as a person's has.
    const inner = `set -m; wf dashboard --store "${location}"; echo "stopped $?"; stty -g > stopped; read -r line; fg; echo "exit $?"; stty -g > after; echo done`
    const pty = openPty({ script: `echo shell history; stty -g > before; ${inner}` })
    await pty.until(/INCIDENTS by cause/)
    pty.type('\u001a')
    const away = await pty.until(/stopped 148/)
    expect(away).toContain('shell history')
    expect(pty.modes()).toEqual({
      alternate: false,
      cursorHidden: false,
      mouse: 'none',
      paste: false,
      wraps: true,
    })
    pty.type('go on\r')
    await pty.until(/INCIDENTS by cause/)
    expect(pty.modes()).toMatchObject({ alternate: true, cursorHidden: true })
    pty.type('5')
    await pty.until(/\[5 Jobs\]/)
    pty.type('q')
    expect(await restored(pty)).toContain('exit 0')
  })

  // B127
  it('an editor has the terminal to itself, and what it changed is asked about', async () => {
    const { location, raised, store } = await seededStore()
    const [key = 0] = await raised(1)
    const editor = join(temporaryDirectory(), 'editor.sh')
    writeFileSync(editor, `stty -g > editing\nsed -i 's/"amount": 1/"amount": 25/' "$1"\n`)
    const script = `echo shell history; stty -g > before; wf dashboard --store "${location}" --screen incidents; echo "exit $?"; stty -g > after; echo done`
    const pty = openPty({ script, env: { EDITOR: `sh ${editor}` } })
    await pty.until(/1 of 1/)
    pty.type('\r')
    await pty.until(/raised +.*ago/)
    pty.type('E')
    // The command stands there before it is known how many it is about, and nothing can be agreed to until then.
    await pty.until(
      (shown) =>
        shown.includes(`wf incidents resolve ${key} --set amount=25`) &&
        shown.includes('y or Enter confirms'),
    )
    expect(pty.file('editing')).toBe(pty.file('before'))
    pty.type('y')
    await pty.until(/1 job resolved/)
    expect((await store.job(key))?.variables).toContain('"amount":25')
    pty.type('q')
    await restored(pty)
  })
})

describe.skipIf(!hasPty)('where there is no terminal', () => {
  it.each([
    ['a pipe on both sides', 'set -o pipefail; echo | wf dashboard --store STORE | cat; echo "exit $?"'],
    ['a file for its output', 'wf dashboard --store STORE > out; echo "exit $?"; cat out'],
    ['nothing to read from', 'wf dashboard --store STORE < /dev/null; echo "exit $?"'],
    ['a terminal that is dumb', 'TERM=dumb wf dashboard --store STORE; echo "exit $?"'],
    // B123
  ])('%s: one line that names what to do instead, exit 2, no escape sequence', async (_, line) => {
    const { location } = await seededStore()
    const pty = openPty({
      script: `${line.replace('STORE', `"${location}"`)}; echo done`,
      columns: 120,
      env: { NO_COLOR: '1' },
    })
    const shown = await pty.until(/done/)
    expect(shown).toContain('exit 2')
    expect(shown).toContain('wf dashboard --once')
    expect(shown).not.toMatch(/at .*\.js:\d+/)
    expect(pty.bytes).not.toContain('\u001b')
  })
})
