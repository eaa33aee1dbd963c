import { describe, expect, it } from 'vitest'
import { distinctCuts } from '../../src/text/truncate-middle.ts'
import { displayWidth } from '../../src/text/width.ts'

const begin = 'connection to postgres://billing.example.org refused while writing the ledger entry of eu:'

describe('texts that begin alike', () => {
  it('are cut so that where they differ stays in view', () => {
    const cuts = distinctCuts([`${begin} disk full`, `${begin} no such table`, `${begin} disk full`], 30)
    expect(cuts[0]).toMatch(/^connectio….*disk full$/)
    expect(cuts[1]).toMatch(/^connectio….*no such table$/)
    expect(cuts[2]).toBe(cuts[0])
  })

  it('show the word in which they differ, and what follows as far as there is room', () => {
    const [card, order] = distinctCuts(
      [
        'INVALID: the variables do not fit: card: must start with something',
        'INVALID: the variables do not fit: orderId: must be some text',
      ],
      24,
    )
    expect([card, order]).toEqual(['INVALID…card: must star…', 'INVALID…orderId: must b…'])
  })

  it('are cut at their ends where that tells them apart, or where they are the same', () => {
    expect(distinctCuts(['abcdefgh', 'abxdefgh'], 5)).toEqual(['abcd…', 'abxd…'])
    expect(distinctCuts(['abcdefgh', 'abcdefgh'], 5)).toEqual(['abcd…', 'abcd…'])
    expect(distinctCuts(['abc', 'abcdefgh'], 5)).toEqual(['abc', 'abcd…'])
  })

  it('are never wider than they may be, wide and joined characters and tiny widths too', () => {
    const family = '👩‍👩‍👧‍👦'
    const texts = [
      `${'値段が不正です'.repeat(9)} 円`,
      `${'値段が不正です'.repeat(9)} 元`,
      `${family.repeat(20)}a`,
      `${family.repeat(20)}b`,
    ]
    for (let width = 0; width < 60; width++)
      for (const cut of distinctCuts(texts, width)) expect(displayWidth(cut)).toBeLessThanOrEqual(width)
  })
})
