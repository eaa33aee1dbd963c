import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'
import { hasScript, onTerminal } from '../support/terminal.ts'

describe('--watch', () => {
  it('is refused where there is no terminal, with what does it there', async () => {
    const { location } = await seededStore()
    for (const list of [['jobs', 'list'], ['types', 'list'], ['stats']]) {
      const end = await cli([...list, '--watch'], { store: location })
      expect(end).toMatchObject({ code: 2, out: '' })
      expect(end.err).toContain('wf tail --json')
      expect((await cli([...list, '--watch', '--json'], { store: location })).json()).toMatchObject({
        error: { code: 'usage' },
      })
    }
    expect((await cli(['jobs', 'list', '--every', '2s'], { store: location })).code).toBe(2)
  })

  it.skipIf(!hasScript)('follows the store on a terminal, until Ctrl-C, which ends it well', async () => {
    const { location, add, raised } = await seededStore()
    const terminal = onTerminal(`wf incidents list --watch --every 200ms --store ${location}`, {})
    await terminal.shows('no open incidents')
    await add({ type: 'plain' })
    await raised(1, 'the printer is on fire')
    await terminal.shows('the printer is on fire')
    await raised(1, 'so is the shredder')
    await terminal.shows('so is the shredder')
    terminal.type('\u0003')
    expect(await terminal.ended).toMatch(/exit 0\s+icanon/)
  })
})
