/** The pictures in docs/dashboard.md are frames of the real thing; `WF_WRITE_DOCS=1` puts new ones there. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveTargets } from '../../src/tui/resolve-targets.ts'
import { actionOf } from '../../src/tui/action.ts'
import { reduce } from '../../src/tui/reduce.ts'
import type { Screen } from '../../src/tui/keys.ts'
import { root } from '../support/cli.ts'
import { press } from './support/scene.ts'
import { outage, shown, textOf, type Outage } from './support/outage.ts'

const page = join(root, 'docs/dashboard.md')
const wide = { columns: 120, rows: 32 }
const usual = { columns: 100, rows: 20 }

const pictures: Readonly<Record<string, (scene: Outage) => Promise<string>>> = {
  overview: async (scene) => textOf(await shown(scene, { size: wide })),
  incidents: async (scene) => textOf(await shown(scene, { size: wide, screen: 'incidents' })),
  members: async (scene) =>
    textOf(await shown(scene, { size: wide, screen: 'incidents' }, (state) => press(state, 'open'))),
  'dead letters': screen('dead-letters'),
  breakers: async (scene) => textOf(await shown(scene, { size: wide, screen: 'breakers' })),
  jobs: screen('jobs'),
  workers: screen('workers'),
  explain: async (scene) =>
    textOf(await shown(scene, { size: usual, screen: 'jobs' }, (state) => press(state, 'explain'))),
  confirm: async (scene) => {
    const state = await shown(scene, { size: usual, screen: 'incidents' })
    const action = actionOf(state, 'resolve')
    if (typeof action === 'string') throw new Error(action)
    const asked = reduce(state, { type: 'proposed', id: 1, action })
    return textOf(
      reduce(asked, {
        type: 'resolved',
        id: 1,
        ...(await resolveTargets(scene.source.reader, action, scene.source.now())),
      }),
    )
  },
  small: async (scene) => textOf(await shown(scene, { size: { columns: 60, rows: 16 } })),
}

function screen(name: Screen) {
  return async (scene: Outage) => textOf(await shown(scene, { size: usual, screen: name }))
}

describe('docs/dashboard.md', () => {
  it('shows each screen as it is', async () => {
    const before = readFileSync(page, 'utf8')
    const scene = await outage()
    let after = before
    for (const [name, draw] of Object.entries(pictures)) {
      const place = new RegExp(`(<!-- ${name} -->\\n\`\`\`\\n)[\\s\\S]*?(\`\`\`\\n)`)
      expect(before, `a place for ${name}`).toMatch(place)
      const frame = (await draw(scene)).replace(/\n{3,}/g, '\n\n')
      after = after.replace(place, (_, start: string, end: string) => `${start}${frame}\n${end}`)
    }
    if (process.env['WF_WRITE_DOCS']) writeFileSync(page, after)
    else expect(after).toBe(before)
  })
})
