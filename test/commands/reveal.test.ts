import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { hostileStore, secret, unsafe } from '../support/hostile-store.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('--reveal', () => {
  // B145
  it('shows what is masked otherwise, still escaped, and keeps who looked at which job', async () => {
    const store = await hostileStore()
    const { location, failed, dead, running } = store
    const looks = [
      ['jobs', 'show', String(failed), '--full'],
      ['jobs', 'export', String(failed)],
      ['incidents', 'show', String(failed)],
      ['dlq', 'show', String(dead), '--full'],
      ['dlq', 'export', String(dead)],
      ['idempotency', 'show', String(running), '--full'],
    ]
    for (const look of looks) {
      const masked = await cli([...look], { store: location })
      expect([look, masked.code, secret.exec(masked.out)]).toEqual([look, 0, null])
      for (const json of [[], ['--json']]) {
        const shown = await cli([...look, ...json, '--reveal', '--reason', 'ticket 4711'], {
          store: location,
          env: { WF_USER: 'ada' },
        })
        expect([look, shown.code, shown.out.includes('hunter2-secret')]).toEqual([look, 0, true])
        expect(unsafe.exec(shown.out)?.[0]).toBeUndefined()
      }
    }
    const { items } = (await cli(['audit', 'list', '--verb', 'reveal', '--json'], { store: location })).json<{
      items: { id: number }[]
    }>()
    expect(items).toHaveLength(looks.length * 2)
    expect(items[0]).toMatchObject({
      who: 'ada',
      reason: 'ticket 4711',
      selector: String(running),
      matched: 1,
      changed: 1,
    })
    const { out } = await cli(['audit', 'show', String(items[0]?.id)], { store: location })
    expect(out).toContain('idempotency show')
    expect((await cli(['undo', String(items[0]?.id)], { store: location })).code).not.toBe(0)
  })

  // B145
  it.skipIf(process.getuid?.() !== 0)(
    'reveals nothing where it cannot be recorded, and says so',
    async () => {
      const { location, poisoned } = await seededStore()
      const key = await poisoned({ amount: -1, password: 'geheim' })
      chmodSync(location, 0o444)
      chmodSync(dirname(location), 0o777)
      const end = await cli(['jobs', 'show', String(key), '--reveal'], { store: location, uid: 65_534 })
      expect(end).toMatchObject({ code: 3, out: '' })
      expect(end.err).toContain('wf: --reveal is kept on record, and the store cannot be written')
    },
  )
})
