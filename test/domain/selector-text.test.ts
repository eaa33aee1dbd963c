import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deadLetterReasons } from '../../src/domain/dead-letter.ts'
import { incidentKinds } from '../../src/domain/incident.ts'
import { jobStates } from '../../src/domain/job.ts'
import { parseSelector, selectorText } from '../../src/domain/selector-text.ts'
import { maskText } from '../../src/text/mask.ts'
import { loadPatterns } from '../../src/text/pattern.ts'
import type { Selector } from '../../src/domain/selector.ts'
import { pathText } from '../../src/domain/variable-path.ts'

beforeAll(loadPatterns)

const now = Date.UTC(2030, 0, 31, 12)
const usage = (message: string) =>
  expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) })

const hostile = fc
  .oneof(
    fc.constantFrom(
      '-x',
      '--type',
      "it's",
      '"',
      '\\',
      '\\,',
      'a,b',
      ' a ',
      '/x',
      '\\/x',
      '\\\\x',
      '/a/i',
      '$(id)',
      '`id`',
      '🙂',
      '\u001b[2J',
      'a=b',
      '%',
      "\\'",
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  )
  .filter((text) => text.trim() !== '')
/** As types are: without blanks around them and without control characters. */
const named = hostile
  .map((text) => text.replace(/[\p{Cc}\p{Surrogate}]/gu, '_').trim())
  .filter((text) => text !== '')
const some = <T>(item: fc.Arbitrary<T>) => fc.uniqueArray(item, { minLength: 1, maxLength: 3 })
const instant = fc.integer({ min: Date.UTC(2000, 0), max: now })
/** As JSON writes them: there is no −0. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const value = fc.oneof(
  json,
  fc.constantFrom('7', 'null', 'true', '', ' ', '"x"', '[1', 2 ** 53, -1.5e-7, { ['__proto__']: 1 }),
  hostile,
)
const keys = fc.array(
  fc.oneof(
    fc.constantFrom('a', '0', 'a.b', 'a=b', '["x"]', '', ' ', 'variables', '__proto__', '\\', "'"),
    fc.string({ unit: 'binary' }),
  ),
  { minLength: 1, maxLength: 4 },
)
const where = fc
  .record({ keys, value })
  .filter(({ keys: path }) => path.filter((key) => /^\d+$/.test(key)).length <= 6)
  .map(({ keys: path, value: wanted }) => ({ path: pathText(path), value: wanted }))
const pattern = fc.constantFrom('a', '^a/b$', '\\/', '"|\'', '\\\\', 'é+', 'a b')

const selector: fc.Arbitrary<Selector> = fc
  .record(
    {
      keys: some(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
      types: some(named),
      states: some(fc.constantFrom(...jobStates.filter((state) => state !== 'completed'))),
      incidentKinds: some(fc.constantFrom(...incidentKinds)),
      deadLetterReasons: some(fc.constantFrom(...deadLetterReasons)),
      error: fc.oneof(
        hostile.map((text) => ({ text })),
        pattern.map((each) => ({ pattern: each })),
        pattern.map((each) => ({ pattern: each, ignoreCase: true })),
      ),
      codes: some(hostile),
      fingerprints: some(fc.constantFrom('0123456789abcdef', 'ffffffffffffffff')),
      since: instant,
      until: instant,
      where: fc.uniqueArray(where, { minLength: 1, maxLength: 3 }),
      workerId: hostile,
    },
    { requiredKeys: [] },
  )
  .map(({ since, until, ...rest }) => ({
    ...rest,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined || (since !== undefined && since >= until) ? {} : { until }),
  }))

describe('a selector as text', () => {
  it('is read back as the same selector, whatever stands in it', () => {
    fc.assert(
      fc.property(selector, (given) => {
        expect(parseSelector(selectorText(given), now)).toEqual(given)
      }),
      { numRuns: 2_000, seed: 5 },
    )
  })

  it('never means anything else: any text is read or refused by name', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc
            .array(
              fc.constantFrom(
                '--type',
                '--where',
                '=',
                "'",
                '"',
                '\\',
                ' ',
                'a',
                '1',
                ',',
                '-',
                '--error',
                '/',
              ),
            )
            .map((all) => all.join('')),
        ),
        (text) => {
          let read: Selector
          try {
            read = parseSelector(text, now)
          } catch (error) {
            expect(error).toMatchObject({ code: 'usage', message: expect.any(String) })
            return
          }
          expect(parseSelector(selectorText(read), now)).toEqual(read)
        },
      ),
      { numRuns: 2_000, seed: 6 },
    )
  })

  it('puts quotes around a value alone, so that a secret with blanks in it is hidden whole', () => {
    const where = ['hunter 2', 'two  words', '$x `y`'].map((value) => ({ path: 'card.password', value }))
    for (const condition of where) {
      const text = selectorText({ where: [condition] })
      expect(maskText(text)).toBe("--where variables.card.password='***'")
      expect(parseSelector(text, now)).toEqual({ where: [condition] })
    }
  })

  it('is what is typed behind a command', () => {
    const text = `--type 'charge payment,send\\,mail' --state failed,dead --error ETIMEDOUT --since 2h --older-than 30m --where variables.customer=7 --where 'city="Bonn am Rhein"' 17,18 19`
    const read = parseSelector(text, now)
    expect(read).toEqual({
      keys: [17, 18, 19],
      types: ['charge payment', 'send,mail'],
      states: ['failed', 'dead'],
      error: { text: 'ETIMEDOUT' },
      since: now - 7_200_000,
      until: now - 1_800_000,
      where: [
        { path: 'customer', value: 7 },
        { path: 'city', value: 'Bonn am Rhein' },
      ],
    })
    expect(selectorText(read)).toBe(
      "--type 'charge payment,send\\,mail' --state failed,dead --error ETIMEDOUT --since 2030-01-31T10:00:00.000Z --until 2030-01-31T11:30:00.000Z --where variables.customer=7 --where variables.city='Bonn am Rhein' 17 18 19",
    )
    expect([selectorText({}), parseSelector('  ', now)]).toEqual(['', {}])
  })

  it('takes the earlier of two ends', () => {
    expect(parseSelector('--until 1h --older-than 2h', now)).toEqual({ until: now - 7_200_000 })
    expect(parseSelector('--until 2h --older-than 1h', now)).toEqual({ until: now - 7_200_000 })
  })

  it.each([
    ['--nonsense 1', '--nonsense is no part of a selector'],
    ['--typ mail', '--typ is no part of a selector'],
    ['--type', '--type has no value'],
    ['--type=', '--type is empty'],
    ['--since 1h --since 2h', '--since is given twice'],
    ['--since 1h --until 2h', 'nothing can lie between'],
    ['--since yesterday', '--since "yesterday" is not a duration'],
    ['--older-than 5', '--older-than "5" is not a duration'],
    ['--error /x', 'is no pattern'],
    ['--error /x/g', 'is no pattern'],
    ['--error //', 'is no pattern'],
    ["--error '/(/'", 'is not a regular expression'],
    ["--error '/(?=a)/'", 'no look-around and no back-references'],
    ['--error x --state completed', 'a completed job has no error'],
    ['--where a', 'is not path=value'],
    ['--where =1', 'is not path=value'],
    ['--where a=', 'has no value'],
    ['--where a..b=1', 'is not a path'],
    ['--where a=9007199254740993', 'is beyond what JavaScript can hold'],
    ['--where 0.1.2.3.4.5.6=1', 'more than 6 keys of digits'],
    ['--fingerprint abc', 'is not a fingerprint'],
    ['--state stuck', '--state "stuck" is none of'],
    ['--kind nonsense', '--kind "nonsense" is none of'],
    ['abc', '"abc" is not a job key'],
    ["--type 'mail", 'has a quote without its end'],
  ])('%s is refused', (text, message) => {
    expect(() => parseSelector(text, now)).toThrow(usage(message))
  })

  it.each([
    ['incidents', '--state failed', '--state does not narrow incidents'],
    ['incidents', '--worker w', '--worker does not narrow incidents'],
    ['dlq', '--state dead', '--state does not narrow dead letters'],
    ['dlq', '--kind raised', '--kind raised is a kind of incident'],
    ['incidents', '--kind poison', '--kind poison is a kind of dead letter'],
    ['jobs', '--kind exhausted', '--kind exhausted is a kind of dead letter'],
  ] as const)('of %s says why %s means nothing', (list, text, message) => {
    expect(() => parseSelector(text, now, list)).toThrow(usage(message))
  })
})
