import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compilePattern, loadPatterns } from '../../src/text/pattern.ts'

beforeAll(loadPatterns)

const usage = (message: string) =>
  expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) })

const atom = fc.constantFrom(
  'a',
  'b',
  'B',
  'é',
  '🙂',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\W',
  '[ab]',
  '[^a]',
  '[a-c\\d]',
  '\\.',
  '\\u0061',
  '\\p{Lu}',
  ' ',
  '\\n',
)
const place = fc.constantFrom('^', '$', '\\b', '\\B')
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{0}')
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'xsmall', maxDepth: 3, withCrossShrink: true },
    fc.tuple(atom, quantifier).map(([one, times]) => one + times),
    place,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<name>'), tie('pattern'), quantifier)
      .map(([open, inner, times]) => `${open}${inner})${times}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
  ),
  pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
}))
const text = fc
  .array(fc.constantFrom('a', 'b', 'B', 'c', 'é', '🙂', '1', ' ', '\n', '.', '_', 's', 'k', 'K', '\ud83d'), {
    maxLength: 8,
  })
  .map((all) => all.join(''))

/** Names may stand once only. */
const numbered = (source: string) => {
  let count = 0
  return source.replaceAll('<name>', () => `<n${count++}>`)
}

const isTooLong = (source: string) => {
  try {
    return !compilePattern(source)
  } catch (error) {
    return String(error).includes('more than')
  }
}

describe('a pattern', () => {
  // \w and \b are ASCII in RE2: JavaScript also takes ſ and the Kelvin sign for letters when case is ignored.
  it('fits what the same regular expression of JavaScript fits', () => {
    fc.assert(
      fc.property(pattern.map(numbered), text, fc.boolean(), (source, subject, ignoreCase) => {
        // V8 looks for \B between the halves of a character too, where no Unicode expression may begin.
        fc.pre(!isTooLong(source) && !(source.includes('\\B') && subject.includes('🙂')))
        const expected = new RegExp(source, ignoreCase ? 'iu' : 'u').test(subject)
        expect(compilePattern(source, ignoreCase)(subject)).toBe(expected)
      }),
      { numRuns: 1_500, seed: 11 },
    )
  })

  it.each([
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '([a-z]+)*!x',
    '.*.*.*.*.*x',
    '(.*a){12}x',
    '^(\\w+\\s?)*$',
    '(?:a?){50}a{50}b',
  ])('takes no longer for a text that was made to hold it up: %s', (source) => {
    const fits = compilePattern(source)
    for (const subject of [
      `${'a'.repeat(10_000)}!`,
      `${'a '.repeat(5_000)}!`,
      'x!'.repeat(2_000).replaceAll('x', 'aa'),
    ])
      expect(typeof fits(subject)).toBe('boolean')
  })

  it('stays within its memory whatever letters the text is made of', () => {
    const fits = compilePattern('\\w{1,50}\\W{1,50}[^a]{1,50}$')
    const letters = Array.from({ length: 8_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000)),
    ).join('')
    expect(fits(letters)).toBe(false)
    expect(fits(`${letters}a${letters}`)).toBe(false)
  })

  it('is used again and again, and remembers nothing of a text', () => {
    const fits = compilePattern('^b')
    expect([fits('ab'), fits('b'), fits(''), fits('ab')]).toEqual([false, true, false, false])
  })

  it.each([
    ['(', 'is not a regular expression'],
    ['a{2,1}', 'is not a regular expression'],
    ['[z-a]', 'is not a regular expression'],
    ['(?=a)', 'no look-around and no back-references (found (?=)'],
    ['(?<!a)b', 'found (?<!'],
    ['(a)\\1', 'found \\1'],
    ['(?<n>a)\\k<n>', 'found \\k<'],
    ['a{1000}', 'more than 500 steps'],
    ['((a{20}){20}){20}', 'invalid repeat count'],
    ['(?:){999999999}', 'invalid repeat count'],
    ['a'.repeat(501), 'more than 500 characters'],
  ])('%s is refused', (source, message) => {
    expect(() => compilePattern(source)).toThrow(usage(message))
  })
})
