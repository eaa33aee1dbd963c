import { describe, expect, it } from 'vitest'
import { collect } from '../../../src/cli/output/list.ts'
import { everyItem, type Page, type Paged } from '../../../src/store/page.ts'

/** Pages over the numbers from 0, the cursor being the next of them. */
function pagesOf(count: number) {
  const asked: Page[] = []
  const fetch = async (page: Page): Promise<Paged<number>> => {
    asked.push(page)
    const start = Number(page.cursor ?? 0)
    const end = Math.min(count, start + page.limit)
    return {
      items: Array.from({ length: end - start }, (_, index) => start + index),
      next: end < count ? String(end) : null,
    }
  }
  return { asked, fetch }
}

describe('pages', () => {
  it('are put together up to the limit, none larger than a store answers', async () => {
    const { asked, fetch } = pagesOf(5_000)
    const { items, next } = await collect(fetch, { limit: 2_500 })
    expect([items.length, items.at(-1), next]).toEqual([2_500, 2_499, '2500'])
    expect(asked.map(({ limit }) => limit)).toEqual([1_000, 1_000, 500])
  })

  it('are 50 long unless told, and go on where the page before ended', async () => {
    const { fetch } = pagesOf(120)
    expect((await collect(fetch, {})).items).toHaveLength(50)
    expect(await collect(fetch, { limit: 100, cursor: '100' })).toEqual({
      items: Array.from({ length: 20 }, (_, index) => 100 + index),
      next: null,
    })
  })

  it('are all taken when a verb freezes its targets', async () => {
    expect(await everyItem(pagesOf(2_500).fetch)).toHaveLength(2_500)
    expect(await everyItem(pagesOf(0).fetch)).toEqual([])
  })
})
