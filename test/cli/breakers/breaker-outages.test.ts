import { describe, expect, it } from 'vitest'
import { outageDocument, outagesOf } from '../../../src/views/breaker-outages.ts'
import type { HistoryRow } from '../../../src/store/views.ts'

const row = (at: number, from: string, to: string, reason: string | null = null): HistoryRow => ({
  ...{
    id: at,
    jobKey: 0,
    at,
    event: to === 'closed' ? 'breaker_closed' : 'breaker_opened',
    who: 'web.1#a',
    reason,
  },
  detail: JSON.stringify({ breaker: 'stripe', from, to }),
})

describe('the openings of a breaker', () => {
  // A26
  it('reach from the opening of what was closed to its closing, however many probes failed between', () => {
    const rows = [
      row(100, 'closed', 'open', '5 of 10 calls failed'),
      row(130, 'half_open', 'open', 'a probe failed'),
      row(160, 'half_open', 'open', 'a probe failed'),
      row(190, 'half_open', 'closed', 'its probes succeeded'),
      row(500, 'closed', 'open', 'they asked us to'),
    ]
    expect(outagesOf(rows.toReversed())).toEqual([
      { openedAt: 500, closedAt: null, periods: 1, who: 'web.1#a', reason: 'they asked us to' },
      { openedAt: 100, closedAt: 190, periods: 3, who: 'web.1#a', reason: '5 of 10 calls failed' },
    ])
  })

  it('leave out one whose beginning is not kept any more', () => {
    expect(outagesOf([row(190, 'half_open', 'closed'), row(160, 'half_open', 'open')])).toEqual([])
    expect(outagesOf([row(160, 'half_open', 'open')])).toEqual([])
    expect(outagesOf([])).toEqual([])
  })

  it('last until now while it is open, and never less than nothing', () => {
    const [open] = outagesOf([row(100, 'closed', 'open')])
    expect(open && outageDocument(open, 350)).toMatchObject({ openMs: 250, closedAt: null })
    expect(open && outageDocument(open, 50)).toMatchObject({ openMs: 0 })
  })
})
