import { long } from '../../support/long.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobState } from '../../../src/domain/job.ts'
import { newJob } from '../../../src/domain/new-job.ts'
import { sortOrders, type SelectorList } from '../../../src/domain/selector.ts'
import { pathText } from '../../../src/domain/variable-path.ts'
import { incidentsMeant, jobsMeant, lettersMeant, type Known } from '../../support/selector-model.ts'
import { anySelector, names, selectorWorld, values } from '../../support/selector-world.ts'
import type { Stage } from '../conformance.ts'
import type { Page, Paged } from '../../../src/store/page.ts'

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

const seeds = long ? [1, 2, 3] : [1]

const isSame = (one: unknown, other: unknown) => sortedMembers(one) === sortedMembers(other)
const sortedMembers = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort())
      : member,
  )

export function selectorRules(stage: Stage): void {
  describe('a selector', () => {
    const asked = (list: SelectorList, all: readonly Known[]) =>
      fc.record({
        selector: anySelector(all),
        sort: fc.constantFrom(...sortOrders[list]),
        limit: fc.constantFrom(1, 3, 1_000),
        reverse: fc.boolean(),
      })
    const inDirection = <T>(meant: readonly T[], reverse: boolean) => (reverse ? [...meant].reverse() : meant)

    it('meets nothing by a state that there is not, whatever stands in its name', async () => {
      const { store } = await stage()
      await store.enqueue([newJob({ type: 't' }, store.now())], store.now())
      for (const state of ['done', "failed' OR TRUE --"] as unknown as readonly JobState[]) {
        for (const sort of ['newest', 'due'])
          expect((await store.jobs({ states: [state] }, { limit: 10, sort })).items).toEqual([])
        expect((await store.jobs({ states: [state, 'available'] }, { limit: 10 })).items).toHaveLength(1)
      }
    })

    it.each(seeds)('means in every list and order what it says (seed %i)', async (seed) => {
      const scene = await stage()
      const { store } = scene
      const all = await selectorWorld(scene, seed)
      const runs = { numRuns: 120, seed }
      let met = 0
      await fc.assert(
        fc.asyncProperty(asked('jobs', all), async ({ selector, sort, limit, reverse }) => {
          const found = await every(limit, (page) => store.jobs(selector, { ...page, sort, reverse }))
          expect(found.map(({ key }) => key)).toEqual(
            inDirection(jobsMeant(all, selector, sort), reverse).map(({ key }) => key),
          )
          met += found.length
        }),
        runs,
      )
      await fc.assert(
        fc.asyncProperty(asked('incidents', all), async ({ selector, sort, limit, reverse }) => {
          const found = await every(limit, (page) => store.incidents(selector, { ...page, sort, reverse }))
          expect(found.map(({ id }) => id)).toEqual(
            inDirection(incidentsMeant(all, selector, sort), reverse).map(({ id }) => id),
          )
          met += found.length
        }),
        runs,
      )
      await fc.assert(
        fc.asyncProperty(asked('dlq', all), async ({ selector, sort, limit, reverse }) => {
          const found = await every(limit, (page) => store.deadLetters(selector, { ...page, sort, reverse }))
          expect(found.map(({ jobKey }) => jobKey)).toEqual(
            inDirection(lettersMeant(all, selector, sort), reverse).map(({ jobKey }) => jobKey),
          )
          met += found.length
        }),
        runs,
      )
      await fc.assert(
        fc.asyncProperty(asked('incidents', all), async ({ selector }) => {
          const found = new Map(
            (await store.causes(selector, scene.now())).map(({ fingerprint, count }) => [fingerprint, count]),
          )
          const meant = incidentsMeant(all, { ...selector, includeClosed: false })
          expect(found).toEqual(
            new Map(
              meant.map(({ fingerprint: print }) => [
                print,
                meant.filter(({ fingerprint }) => fingerprint === print).length,
              ]),
            ),
          )
        }),
        runs,
      )
      expect(met, 'selectors that mean nothing prove nothing').toBeGreaterThan(100)
    })

    it.each(seeds)(
      'is counted as it is listed, whole and behind any page, where nothing is looked into (seed %i)',
      async (seed) => {
        const scene = await stage()
        const { store } = scene
        const all = await selectorWorld(scene, seed)
        let counted = 0
        for (const list of ['incidents', 'dlq'] as const) {
          await fc.assert(
            fc.asyncProperty(asked(list, all), async ({ selector, sort, limit, reverse }) => {
              const read = (page: Page): Promise<Paged<unknown>> =>
                list === 'dlq' ? store.deadLetters(selector, page) : store.incidents(selector, page)
              const { error, codes, where } = selector
              const whole = await store.tally(list, selector)
              expect(whole === null).toBe(error !== undefined || codes !== undefined || where !== undefined)
              if (whole === null) return
              const first = await read({ limit, sort, reverse })
              expect(whole).toBe((await every(1_000, read)).length)
              if (first.next === null) return
              expect(await store.tally(list, selector, { sort, reverse, cursor: first.next })).toBe(
                whole - first.items.length,
              )
              counted += 1
            }),
            { numRuns: 120, seed },
          )
        }
        expect(counted, 'pages that are the only one prove nothing').toBeGreaterThan(20)
      },
    )

    it('finds the few that fit among many, page by page, each once, while others come and go', async () => {
      const { enqueue, store, resolve } = await stage()
      const many = Array.from({ length: 6_500 }, (_, at) => ({
        variables: { n: at % 1_000 },
        priority: at % 7,
      }))
      await enqueue(...many)
      const selector = { where: [{ path: 'n', value: 7 }], states: ['available'] as const }
      const found: number[] = []
      let [cursor, pages, looked]: [string | null | undefined, number, number] = [undefined, 0, 0]
      do {
        const page: Paged<{ key: number }> = await store.jobs(
          selector,
          cursor === undefined ? { limit: 3 } : { limit: 3, cursor: cursor ?? '' },
        )
        found.push(...page.items.map(({ key }) => key))
        looked += page.looked ?? 0
        cursor = page.next
        pages += 1
        await enqueue({ variables: { n: 7 } })
        if (pages === 1) await resolve(8, 'cancel')
      } while (cursor !== null)
      expect(found).toEqual([6_008, 5_008, 4_008, 3_008, 2_008, 1_008])
      expect(pages, 'a page ends before much is read').toBeGreaterThan(3)
      expect(looked).toBeLessThanOrEqual(6_500)
      const byPriority = await every(1, (page) =>
        store.jobs({ ...selector, until: 2 ** 52 }, { ...page, sort: 'priority' }),
      )
      expect(byPriority).toHaveLength(6 + pages)
    })

    it('knows the orders of each list, and takes no cursor of another', async () => {
      const { enqueue, store } = await stage()
      await enqueue(...Array.from({ length: 3 }, () => ({})))
      const { next } = await store.jobs({}, { limit: 1, sort: 'priority' })
      const usage = (message: string) => ({ code: 'usage', message: expect.stringContaining(message) })
      await expect(store.jobs({}, { limit: 1, sort: 'due', cursor: next ?? '' })).rejects.toMatchObject(
        usage('is not a cursor'),
      )
      await expect(store.jobs({}, { limit: 1, cursor: next ?? '' })).rejects.toMatchObject(
        usage('is not a cursor'),
      )
      for (const cursor of [
        '',
        '.',
        'priority.1',
        'priority.1.%',
        'priority.1.[]',
        'priority.01.0',
        '1.5',
        '-1',
        '9007199254740993',
        'due.1.1.1',
      ]) {
        await expect(store.jobs({}, { limit: 1, sort: 'priority', cursor })).rejects.toMatchObject(
          usage('is not a cursor'),
        )
      }
      for (const sort of ['', 'count', '__proto__', 'toString', 'key; DROP TABLE wf_jobs']) {
        await expect(store.jobs({}, { limit: 1, sort })).rejects.toMatchObject(
          usage('is no order of this list'),
        )
      }
      await expect(store.incidents({}, { limit: 1, sort: 'due' })).rejects.toMatchObject(
        usage('is no order of this list'),
      )
      await expect(store.deadLetters({}, { limit: 1, sort: 'priority' })).rejects.toMatchObject(
        usage('is no order of this list'),
      )
    })

    it('tells values apart that are easily taken for each other, and what is null from what is not there', async () => {
      const { enqueue, store } = await stage()
      await enqueue(...values.map((v) => ({ variables: { v } })), { variables: {} })
      const all = (await store.jobs({}, { limit: 1_000 })).items
      for (const value of values) {
        const found = (await store.jobs({ where: [{ path: 'v', value }] }, { limit: 1_000 })).items.map(
          ({ key }) => key,
        )
        // Of the list, what is written in the same way but for the order of members.
        const same = values.flatMap((other, at) => (isSame(value, other) ? [at + 1] : []))
        expect([value, found]).toEqual([value, same.toReversed()])
      }
      expect(all).toHaveLength(values.length + 1)
    })

    it('finds a member by any name, and takes none for another, a place in a list or what objects have anyway', async () => {
      const { enqueue, store } = await stage()
      const nested = (name: string) =>
        JSON.parse(`{${JSON.stringify(name)}:{${JSON.stringify(name)}:1}}`) as object
      await enqueue(...names.map((name) => ({ variables: nested(name) })), { variables: { v: [[0, 1], 1] } })
      for (const [at, name] of names.entries()) {
        const path = pathText([name, name])
        const found = (await store.jobs({ where: [{ path, value: 1 }] }, { limit: 1_000 })).items.map(
          ({ key }) => key,
        )
        expect([name, found]).toEqual([name, [at + 1]])
      }
      const inList = async (path: string) =>
        (await store.jobs({ where: [{ path, value: 1 }] }, { limit: 1_000 })).items.length
      expect(
        await Promise.all(
          ['v[1]', 'v.1', 'v[0][1]', 'v.0.1', 'v[0]', 'v[2]', 'v.length', 'v["1"]', 'v'].map(inList),
        ),
      ).toEqual([1, 1, 1, 1, 0, 0, 0, 1, 0])
    })

    // B106
    it('takes no number for another one that JavaScript would round to it', async () => {
      const { add, store } = await stage()
      const even = await add({ variables: { n: 2 ** 53, list: [2 ** 53] } })
      await add({ variables: { n: 2 ** 53 - 1, list: [2 ** 53 - 1] } })
      await add({ variables: { n: '9007199254740992', list: ['9007199254740992'] } })
      for (const where of [
        [{ path: 'n', value: 2 ** 53 }],
        [{ path: 'list', value: [2 ** 53] }],
        [{ path: 'list.0', value: 2 ** 53 }],
      ]) {
        expect((await store.jobs({ where }, { limit: 9 })).items.map(({ key }) => key)).toEqual([even])
      }
    })
  })
}
