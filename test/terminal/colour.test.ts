import { describe, expect, it } from 'vitest'
import { wantsColour } from '../../src/terminal/colour.ts'
import { createPaint } from '../../src/terminal/paint.ts'
import { say } from '../../src/terminal/safe.ts'

describe('colours', () => {
  // B136
  it('come on a terminal, and nowhere else', () => {
    expect(wantsColour({ env: {}, isTTY: true, refused: false })).toBe(true)
    expect(wantsColour({ env: {}, isTTY: false, refused: false })).toBe(false)
  })

  it.each([
    [{ NO_COLOR: '1' }, false],
    [{ NO_COLOR: '' }, true],
    [{ TERM: 'dumb' }, false],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: 'false' }, false],
    [{ FORCE_COLOR: '' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, true],
    // B136
  ])('on a terminal with %j: %s', (env, expected) => {
    expect(wantsColour({ env, isTTY: true, refused: false })).toBe(expected)
  })

  // B136
  it.each(['1', '3', 'true'])(
    'are forced into a pipe by FORCE_COLOR=%s, but never against --no-color',
    (forced) => {
      expect(wantsColour({ env: { FORCE_COLOR: forced }, isTTY: false, refused: false })).toBe(true)
      expect(wantsColour({ env: { FORCE_COLOR: forced }, isTTY: true, refused: true })).toBe(false)
    },
  )

  it('paint what is safe, and hand it back as it is without colours', async () => {
    expect((await createPaint(true)).red(say`no`).text).toBe('\u001b[31mno\u001b[39m')
    expect((await createPaint(false)).red(say`no`).text).toBe('no')
  })
})
