import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { outcomes, testEngine } from '../support/test-engine.ts'

describe('what a client changes', () => {
  it('is one operation a call, in its name, with what became of each job', async () => {
    const t = await testEngine()
    const keys: number[] = []
    for (let count = 0; count < 3; count++) keys.push(await t.add())
    for (const job of await t.claim()) await t.settle(job, outcomes.raised())
    const client = createClient({ store: t.store, clock: t.clock, who: 'shop' })
    await client.resolve([...keys, 4_711], { retries: 2, reason: 'gateway is back' })
    await client.resolve([])
    await client.cancel(keys[0] ?? 0)
    const { items } = await t.store.operations({}, { limit: 10 })
    expect(items).toMatchObject([
      { verb: 'cancel', who: 'shop', matched: 1, changed: 1 },
      {
        verb: 'resolve',
        who: 'shop',
        reason: 'gateway is back',
        flags: { retries: 2 },
        matched: 4,
        changed: 3,
        failed: 1,
      },
    ])
  })
})
