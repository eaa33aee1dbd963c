import { describe, expect, it } from 'vitest'
import { standingLine, statusWords } from '../../../src/views/closed-messages.ts'
import { historyDetail, historyLine } from '../../../src/views/history-messages.ts'
import { createPaint } from '../../../src/terminal/paint.ts'

const paint = await createPaint(false)
const now = 1_704_067_200_000
const row = (event: string, detail: unknown, reason: string | null = null) =>
  historyLine(
    {
      id: 1,
      jobKey: 1,
      at: now - 300_000,
      event,
      who: 'ada',
      reason,
      detail: detail === null ? null : JSON.stringify(detail),
    },
    { now, paint },
  ).text

describe('the history of a job', () => {
  it.each([
    ['resolved', null, '5m ago    resolved by ada: why'],
    [
      'resolved',
      { from: 'failed', retries: { before: 0, after: 3 }, failures: { before: 3, after: 0 } },
      '5m ago    resolved by ada: why  was failed, retries 0 → 3, failures 3 → 0',
    ],
    [
      'retried',
      { from: 'waiting', deadlineAt: { before: now, after: null } },
      '5m ago    retried by ada: why  was waiting, deadline 2024-01-01T00:00:00.000Z → none',
    ],
    [
      'cancelled',
      { from: 'running', attempt: 2, workerId: 'w#1' },
      '5m ago    cancelled by ada: why  was running, attempt 2 of w#1 lost its lease',
    ],
    [
      'dlq_retried',
      {
        variables: [
          { path: 'amount', before: -1, after: 10 },
          { path: 'note', after: 'by hand' },
        ],
      },
      '5m ago    taken back from the dead letters by ada: why  amount -1 → 10, note set to "by hand"',
    ],
    ['later', { unheard: true, of: ['this'] }, '5m ago    later by ada: why  unheard true, of ["this"]'],
  ])('tells that it was %s in words', (event, detail, words) => {
    expect(row(event, detail, 'why')).toBe(words)
  })

  // B145
  it('hides what a secret was changed from and to, by the name that stands beside it', () => {
    const variables = [
      { path: 'card.cvv', before: 123, after: 456 },
      { path: 'credentials.user', before: 'ann', after: 'bob' },
      { path: 'note', before: 'postgres://u:hunter2@h', after: { password: 'hunter2' } },
      { path: 'amount', before: 1, after: 2 },
    ]
    const shown = [
      row('resolved', { from: 'failed', variables }),
      JSON.stringify(historyDetail(JSON.stringify({ variables }))),
    ]
    for (const text of shown)
      for (const secret of ['123', '456', 'ann', 'bob', 'hunter2']) expect(text).not.toContain(secret)
    expect(shown[0]).toContain('amount 1 → 2')
  })

  it('takes a row that is damaged for the text that it is', () => {
    expect(
      historyLine(
        { id: 1, jobKey: 1, at: now, event: 'e', who: 'w', reason: null, detail: '{oops' },
        { now, paint },
      ).text,
    ).toBe('now       e by w  "{oops"')
  })
})

describe('how an incident stands', () => {
  it('is open, or closed by whom, how, when and why', () => {
    const open = { at: null, by: null, resolution: null, reason: null }
    const at = { openedAt: now - 600_000, now, opened: 'opened' }
    expect(standingLine(open, at).text).toBe('open, opened 10m ago')
    const closed = { at: now - 60_000, by: 'ada', resolution: 'dlq_retry', reason: 'mended' }
    expect(standingLine(closed, at).text).toBe('taken back to work by ada 1m ago: mended (opened 10m ago)')
    expect(statusWords({ ...closed, resolution: 'resolve' })).toBe('resolved by ada')
  })
})
