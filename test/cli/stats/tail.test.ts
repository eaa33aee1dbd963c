import { describe, expect, it } from 'vitest'
import { summedUp } from '../../../src/cli/stats/tail.ts'
import { feedEventLine } from '../../../src/cli/stats/tail-view.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import type { FeedEvent } from '../../../src/domain/feed-event.ts'

const event = (more: Partial<FeedEvent>): FeedEvent => ({
  ...{ at: 1, kind: 'attempt', type: 'mail', jobKey: 1, count: 1, what: 'fail', detail: 'x', who: 'w' },
  ...more,
})
const total = (list: readonly FeedEvent[]) => list.reduce((sum, { count }) => sum + count, 0)

describe('summedUp', () => {
  it('leaves what there is room for as it is', () => {
    const list = [event({}), event({ jobKey: 2 })]
    expect(summedUp(list, 2)).toEqual(list)
  })

  it('sums up as finely as there is room for, and leaves nothing out', () => {
    const list = Array.from({ length: 900 }, (_, index) =>
      event({
        ...{
          at: index,
          jobKey: index,
          type: `t${index % 30}`,
          kind: index % 3 === 0 ? 'incident' : 'attempt',
          what: index % 2 === 0 ? 'fail' : 'lost',
        },
        count: index % 10 === 0 ? 5 : 1,
      }),
    )
    for (const room of [8, 20, 60, 100, 500]) {
      const told = summedUp(list, room)
      expect(told.length).toBeLessThanOrEqual(room)
      expect(total(told)).toBe(total(list))
      expect(told.map(({ at }) => at)).toEqual(told.map(({ at }) => at).sort((a, b) => a - b))
    }
    expect(summedUp(list, 8).map(({ kind, type, count }) => [kind, type, count])).toEqual([
      ['incident', null, 420],
      ['attempt', null, 840],
    ])
  })
})

describe('feedEventLine', () => {
  // A39
  it('is one line that fits, whatever stands in it', async () => {
    const paint = await createPaint(false)
    const hostile = event({
      type: '\u001b[2J漢字',
      detail: `password=hunter2 \r\n${'x'.repeat(10_000)}`,
      at: 1_700_000_000_000,
    })
    const { text } = feedEventLine(hostile, { paint, width: 60 })
    expect(text).toMatch(/^22:13:20 {2}attempt {6}\\u001b\[2J漢字 {2}fail {2}job 1 {2}pass.*…$/)
    expect(feedEventLine(hostile, { paint, width: null }).text).not.toContain('hunter2')
  })
})
