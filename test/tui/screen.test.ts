import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/text/width.ts'
import { screens } from '../../src/tui/keys.ts'
import { hostileStore, secret } from '../support/hostile-store.ts'
import { seededStore } from '../support/seeded-store.ts'
import { hasPty, openPty } from './support/pty.ts'

const dashboard = (location: string, more = '') =>
  `wf dashboard --store "${location}" ${more}; echo "exit $?"; echo done`

describe.skipIf(!hasPty)('on a real terminal', () => {
  it.each([
    [60, 16],
    [80, 24],
    [120, 40],
    [200, 50],
    // A39 B124 B129 B130
  ])(
    'every screen of a hostile store fits %s×%s, with its keys in the last line but one',
    async (columns, rows) => {
      const { location } = await hostileStore()
      const pty = openPty({ script: dashboard(location), columns, rows })
      await pty.until(/live/)
      for (const [index, { title }] of screens.entries()) {
        pty.type(`\u001b${index + 1}`)
        const text = await pty.until(
          (shown) =>
            shown.includes(`[${index + 1} ${title}`) &&
            shown.includes('live') &&
            !shown.includes('reading …'),
        )
        const lines = text.split('\n')
        expect(lines.length).toBe(rows)
        expect(lines[0]).toMatch(/^ wf · /)
        expect(lines[rows - 2]).toMatch(/\? help/)
        expect(lines[rows - 1]).toBe('')
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
        pty.type('\r')
        await pty.until((shown) => !shown.includes('reading …'))
      }
      expect(pty.bytes).not.toMatch(/\u001b\[[23]J|\u001b\]|\u0007|\u009b|\u0090/)
      expect(pty.bytes).not.toMatch(secret)
      pty.type('q')
      await pty.until(/exit 0/)
    },
  )

  // B124
  it('lives through a storm of sizes, from 1×1 to 500×200, and leaves the shell its history', async () => {
    const { location, raised } = await seededStore()
    await raised(300)
    const history = 'for i in $(seq 1 60); do echo "line $i"; done'
    const pty = openPty({ script: `${history}; ${dashboard(location)}` })
    await pty.until(/live/)
    const sizes = [
      [1, 1],
      [500, 200],
      [20, 5],
      [40, 10],
      [2, 100],
      [200, 2],
    ] as const
    for (let round = 0; round < 8; round++) {
      for (const [columns, rows] of sizes) {
        pty.resize(columns, rows)
        pty.type('j2')
      }
    }
    pty.resize(30, 8)
    // Frames of earlier sizes may still be on their way.
    await pty.until(/^wf: 30×8 is too sma/)
    pty.resize(90, 30)
    const text = await pty.until((shown) => shown.includes('[2 Incidents') && shown.includes('? help'))
    expect(text.split('\n')[28]).toContain('? help')
    pty.resize(80, 24)
    await pty.until((shown) => shown.split('\n')[22]?.includes('? help') ?? false)
    pty.type('q')
    const shell = await pty.until(/exit 0/)
    expect(shell).toContain('line 60')
    expect(pty.main().join('\n')).toContain('line 7')
    expect(pty.bytes).not.toContain('\u001b[3J')
  })

  it('shows what another process does, acts on it after a yes, and takes it back', async () => {
    const { location, store, raised } = await seededStore()
    await raised(3)
    const pty = openPty({ script: dashboard(location, '--screen incidents'), columns: 100, rows: 24 })
    await pty.until(/▲ 3 incidents/)
    await raised(2)
    await pty.until(/▲ 5 incidents/)
    pty.type('R')
    await pty.until(/5 jobs/)
    // What stops from here on is not what was agreed to.
    await raised(1)
    pty.type('r')
    pty.type('mended')
    pty.type('\r')
    await pty.until(/--reason mended/)
    pty.type('y')
    await pty.until(/5 jobs resolved/)
    expect(await store.counts()).toMatchObject({ failed: 1, available: 5 })
    pty.type('U')
    await pty.until(/undo/)
    await pty.until(/y or Enter/)
    pty.type('\r')
    await pty.until(/5 targets as before/)
    expect(await store.counts()).toMatchObject({ failed: 6 })
    pty.type('q')
    await pty.until(/exit 0/)
  })

  // F26 F27
  it('takes pasted text into a field only, and an arrow key whose bytes arrive apart for one key', async () => {
    const { location, store, raised } = await seededStore()
    await raised(2)
    const pty = openPty({ script: dashboard(location, '--screen incidents'), columns: 100, rows: 24 })
    await pty.until(/▲ 2 incidents[\s\S]*live/)
    pty.type('\u001b[200~RyXyq\u001b[201~/')
    await pty.until(/ \/ █/)
    pty.type('\u001b[200~--type mail\r\u001b[201~')
    await pty.until(/ \/ --type mail █/)
    for (const bytes of ['\u007f\r', '\u001b', '[', 'B']) {
      pty.type(bytes)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await pty.until(/filter: --type mail/)
    expect((await store.counts()).failed).toBe(2)
    pty.type('q')
    await pty.until(/exit 0/)
  })

  it('changes nothing with --read-only', async () => {
    const { location, store, raised } = await seededStore()
    await raised(2)
    const pty = openPty({
      script: dashboard(location, '--screen incidents --read-only'),
      columns: 100,
      rows: 24,
    })
    await pty.until(/▲ 2 incidents/)
    pty.type('R')
    await pty.until(/nothing can be changed with --read-only/)
    pty.type('yyq')
    await pty.until(/exit 0/)
    expect((await store.counts()).failed).toBe(2)
  })
})
