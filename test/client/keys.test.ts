import { describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../src/client.ts'
import { testEngine } from '../support/test-engine.ts'

const noKeys = [
  undefined,
  null,
  '17',
  '',
  ['17'],
  [1, '7'],
  {},
  { keys: [1] },
  [null],
  1.5,
  0,
  -1,
  Number.NaN,
  2 ** 53,
  10n,
  new Date(0),
]

describe('keys that are none', () => {
  // B022
  it('are refused by every call, above all text, which taken apart would name other jobs; nothing changes', async () => {
    const t = await testEngine({ file: true })
    const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
    for (let job = 0; job < 20; job++) await t.add()
    const before = await t.store.counts()
    const calls: Record<string, (keys: never) => Promise<unknown>> = {
      resolve: (keys) => client.resolve(keys, { retries: 1 }),
      resolveVerified: (keys) => client.resolveVerified(keys, { verify: '1s' }),
      retry: (keys) => client.retry(keys),
      cancel: (keys) => client.cancel(keys),
      discard: (keys) => client.discard(keys),
      purge: (keys) => client.purge(keys),
      update: (keys) => client.update(keys, { retries: 2 }),
    }
    const one: Record<string, (key: never) => Promise<unknown>> = {
      wait: (key) => client.wait(key),
      explain: (key) => client.explain(key),
      undo: (operation) => client.undo(operation),
    }
    for (const keys of noKeys) {
      for (const [name, call] of Object.entries({ ...calls, ...one })) {
        await expect(call(keys as never), `${name} ${String(keys)}`).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining('no key'),
        })
      }
    }
    for (const call of Object.values(calls)) expect(await call([] as never)).toBeDefined()
    expect(await t.store.counts()).toEqual(before)
  })

  it('options that a call cannot do without are asked for', async () => {
    const t = await testEngine({ file: true })
    const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
    for (const call of ['update', 'resolveVerified'] as const) {
      const asked = (client[call] as (key: number) => ReturnType<Client['update']>)(1)
      await expect(asked).rejects.toMatchObject({
        code: 'usage',
        message: 'the options are undefined',
        hint: expect.stringMatching(/^give /),
      })
    }
  })
})
