import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('a dry run that sets variables', () => {
  it('shows of a few jobs what each would become, with its type and its secrets hidden, and changes nothing', async () => {
    const { location, raised, detail } = await seededStore()
    const keys = await raised(7)
    const before = (await detail(keys[0] ?? 0)).variables
    const set = ['--set', 'amount=10', '--set', 'password=hunter2', '--add']
    const words = await cli(['incidents', 'resolve', ...set, '--dry-run'], { store: location })
    expect(words.out.match(/^would set /gm)).toHaveLength(5)
    expect(words.out).toMatch(/^would set \d+ {2}amount .*10, password set to /m)
    expect(words.out).not.toContain('hunter2')
    const { preview } = (
      await cli(['incidents', 'resolve', ...set, '--dry-run', '--json'], { store: location })
    ).json<{ preview: object[] }>()
    expect(preview[0]).toEqual({
      key: expect.any(Number),
      variables: [
        expect.objectContaining({ path: 'amount', after: 10 }),
        expect.objectContaining({ path: 'password', after: '***' }),
      ],
    })
    expect((await detail(keys[0] ?? 0)).variables).toBe(before)
  })

  it('says nothing of variables where none are set', async () => {
    const { location, raised } = await seededStore()
    await raised(1)
    const { out } = await cli(['incidents', 'resolve', '--dry-run', '--json'], { store: location })
    expect(JSON.parse(out)).not.toHaveProperty('preview')
  })
})
