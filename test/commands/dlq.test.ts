import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('wf dlq', () => {
  it('A22 retry keeps the job, its key and its history, and closes its incident', async () => {
    const { location, poisoned, detail } = await seededStore()
    const key = await poisoned()
    const end = await cli(['dlq', 'retry', String(key), '--set', 'amount=10', '--reason', 'mended'], { store: location, env: { WF_USER: 'ada' } })
    expect(end).toMatchObject({ code: 0, err: '' })
    const { job, incidents, deadLetter, variables, attempts, history } = await detail(key)
    expect(job).toMatchObject({ key, state: 'available', attempt: 1 })
    expect(JSON.parse(variables)).toEqual({ amount: 10 })
    expect(incidents[0]?.resolvedBy).toBe('ada')
    expect(deadLetter).toMatchObject({ closedBy: 'ada', closeReason: 'mended' })
    expect(attempts).toHaveLength(1)
    expect(history.map(({ event }) => event)).toContain('dlq_retried')
    expect((await cli(['dlq', 'retry', String(key), '--json'], { store: location })).json()).toMatchObject({ changed: 0, skipped: 1 })
  })

  it('A22 discard ends the job for good, and says that it is final', async () => {
    const { location, dead, poisoned, claim, detail } = await seededStore()
    const keys = [await dead(), await poisoned()]
    const end = await cli(['dlq', 'discard', ...keys.map(String)], { store: location })
    expect(end.code).toBe(0)
    expect(end.out).toContain('2 jobs discarded for good')
    for (const key of keys) expect((await detail(key)).job.state).toBe('cancelled')
    expect(await claim()).toEqual([])
    const retry = await cli(['dlq', 'retry', String(keys[0])], { store: location })
    expect(retry.out).toContain('already closed')
  })

  it('discards many only with a selector and somebody who agrees', async () => {
    const { location, dead, poisoned, store } = await seededStore()
    await dead()
    await poisoned()
    expect((await cli(['dlq', 'discard', '--yes'], { store: location })).code).toBe(2)
    const unasked = await cli(['dlq', 'discard', '--kind', 'exhausted'], { store: location })
    expect(unasked).toMatchObject({ code: 2, out: '' })
    expect((await cli(['dlq', 'discard', '--kind', 'exhausted', '--yes', '--json'], { store: location })).json()).toMatchObject({
      matched: 1,
      changed: 1,
    })
    expect((await store.deadLetters({}, { limit: 10 })).items.map(({ reason }) => reason)).toEqual(['poison'])
  })

  it('lists and shows what was set aside, with what can be done next', async () => {
    const { location, dead, poisoned, add } = await seededStore()
    const exhausted = await dead()
    const poison = await poisoned({ amount: -1, password: 'geheim' })
    const { items } = (await cli(['dlq', 'list', '--json'], { store: location })).json<{ items: object[] }>()
    expect(items).toMatchObject([
      { key: poison, reason: 'poison' },
      { key: exhausted, reason: 'exhausted' },
    ])
    const shown = await cli(['dlq', 'show', String(poison)], { store: location })
    expect(shown.out).toContain('cannot work')
    expect(shown.out).not.toContain('geheim')
    expect(shown.out).toContain(`wf dlq retry ${poison} --set PATH=VALUE`)
    expect((await cli(['dlq', 'show', String(await add())], { store: location })).code).toBe(4)
  })
})
