import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortOrders, type SelectorList } from '../../../src/domain/selector.ts'
import type { Page, Paged } from '../../../src/store/store.ts'
import { incidentsMeant, jobsMeant, lettersMeant, type Known } from '../../support/selector-model.ts'
import { anySelector, selectorWorld } from '../../support/selector-world.ts'
import type { Stage } from '../conformance.ts'

/** All pages of a list. */
async function every<T>(limit: number, read: (page: Page) => Promise<Paged<T>>): Promise<readonly T[]> {
  const found: T[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Paged<T> = await read(cursor === undefined ? { limit } : { limit, cursor })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    found.push(...page.items)
    cursor = page.next
  }
  return found
}

const seeds = [1, 2, 3]

export function selectorRules(stage: Stage): void {
  describe('a selector', () => {
    const asked = (list: SelectorList, all: readonly Known[]) =>
      fc.record({ selector: anySelector(all), sort: fc.constantFrom(...sortOrders[list]), limit: fc.constantFrom(1, 3, 1_000) })

    it.each(seeds)('means in every list and order what it says (seed %i)', { timeout: 60_000 }, async (seed) => {
      const scene = await stage()
      const { store } = scene
      const all = await selectorWorld(scene, seed)
      const runs = { numRuns: 120, seed }
      let met = 0
      await fc.assert(
        fc.asyncProperty(asked('jobs', all), async ({ selector, sort, limit }) => {
          const found = await every(limit, (page) => store.jobs(selector, { ...page, sort }))
          expect(found.map(({ key }) => key)).toEqual(jobsMeant(all, selector, sort).map(({ key }) => key))
          met += found.length
        }),
        runs,
      )
      await fc.assert(
        fc.asyncProperty(asked('incidents', all), async ({ selector, sort, limit }) => {
          const found = await every(limit, (page) => store.incidents(selector, { ...page, sort }))
          expect(found.map(({ id }) => id)).toEqual(incidentsMeant(all, selector, sort).map(({ id }) => id))
          met += found.length
        }),
        runs,
      )
      await fc.assert(
        fc.asyncProperty(asked('dlq', all), async ({ selector, sort, limit }) => {
          const found = await every(limit, (page) => store.deadLetters(selector, { ...page, sort }))
          expect(found.map(({ jobKey }) => jobKey)).toEqual(lettersMeant(all, selector, sort).map(({ jobKey }) => jobKey))
          met += found.length
        }),
        runs,
      )
      expect(met, 'selectors that mean nothing prove nothing').toBeGreaterThan(100)
    })
  })
}
