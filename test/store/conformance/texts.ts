import { describe, expect, it } from 'vitest'
import { newJob } from '../../../src/domain/new-job.ts'
import { outcomes } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

export function textRules(stage: Stage): void {
  describe('text', () => {
    // B101
    it('keeps NUL, escapes, wide and combined characters of variables and results exactly', async () => {
      const { add, claimOne, settle, detail } = await stage()
      const hostile = {
        nul: 'a\u0000b',
        esc: '\u001b[2J\r',
        wide: '日本👩‍👩‍👧',
        zalgo: 'e\u0301\u0302',
        quote: `'"\\;--`,
        lone: JSON.parse('"\\ud800"') as string,
      }
      const key = await add({ variables: hostile })
      const job = await claimOne()
      expect(JSON.parse(job.variables)).toEqual(hostile)
      await settle(job, outcomes.success(hostile))
      const { variables, result } = await detail(key)
      expect([JSON.parse(variables), JSON.parse(result ?? '')]).toEqual([hostile, hostile])
    })

    // B107
    it('takes names of built-in members as plain types and variables', async () => {
      const { store, claim, now } = await stage()
      const types = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
      const variables = '{"__proto__":{"polluted":1},"constructor":2}'
      await store.enqueue(
        types.map((type) => ({ ...newJob({ type }, now()), variables })),
        now(),
      )
      const claimed = await claim({
        types: types.map((type) => ({ type, limit: 1, timeoutMs: 1, retries: 3 })),
      })
      expect(claimed.map(({ type }) => type).sort()).toEqual(types.sort())
      expect(claimed.map((job) => job.variables)).toEqual(new Array(4).fill(variables))
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      expect((await store.types(now())).map(({ type }) => type)).toEqual(types.sort())
    })

    // B075
    it('lists jobs without reading their variables, and keeps big ones whole', async () => {
      const { add, store, detail } = await stage()
      const big = { text: 'x'.repeat(1_000_000) }
      const key = await add({ variables: big })
      const [listed] = (await store.jobs({}, { limit: 1 })).items
      expect(Object.keys(listed ?? {})).not.toContain('variables')
      expect(JSON.parse((await detail(key)).variables)).toEqual(big)
    })

    // B106
    it('finds the exact job by its key and no other by one beside it or beyond what a number holds', async () => {
      const { add, store, resolve } = await stage()
      const key = await add()
      for (const other of [key + 1, 0, -1, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 60]) {
        expect(await store.job(other)).toBeNull()
        expect(await resolve(other, 'cancel')).toMatchObject({ status: 'not_found' })
      }
      expect((await store.job(key))?.job.key).toBe(key)
    })
  })
}
