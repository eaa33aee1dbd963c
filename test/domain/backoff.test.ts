import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffDelayMs, defaultBackoff, type Backoff, type BackoffOption } from '../../src/domain/backoff.ts'
import { seededRandom } from '../../src/random.ts'
import { normaliseHandler } from '../../src/worker/handler/handler-schema.ts'
import { judge, boom, now, runningJob, steady } from './builders.ts'

const delays = (backoff: Backoff, count: number, random = () => 0.5) =>
  Array.from({ length: count }, (_, n) => backoffDelayMs(backoff, n + 1, random))
const given = (backoff?: BackoffOption) =>
  normaliseHandler({ type: 'a', run() {}, ...(backoff === undefined ? {} : { backoff }) }).policy.backoff

describe('strategies', () => {
  // A09
  it('exponential doubles from its base', () => {
    expect(delays(given({ strategy: 'exponential', jitter: 0 }), 4)).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  // A10
  it('quadratic grows with the square of the failures', () => {
    expect(delays(given({ strategy: 'quadratic', base: '1s', jitter: 0 }), 3)).toEqual([1_000, 4_000, 9_000])
  })

  // A10
  it('the last value of a list repeats', () => {
    expect(delays(given({ strategy: 'list', delays: ['5s', 30_000], jitter: 0 }), 3)).toEqual([
      5_000, 30_000, 30_000,
    ])
  })

  // A10
  it('a fixed delay of 0 makes the job available at once', () => {
    const backoff = given({ strategy: 'fixed', delay: 0 })
    expect(
      judge(
        runningJob(),
        { kind: 'fail', error: boom, category: 'error' },
        { policy: { ...steady, backoff } },
      ).next,
    ).toMatchObject({
      state: 'available',
      waitReason: null,
      runAt: now,
    })
  })
})

describe('what a handler may write', () => {
  // B026
  it('no backoff at all is the documented default', () => {
    expect(given()).toEqual({
      strategy: 'exponential',
      baseMs: 1_000,
      factor: 2,
      maxMs: 300_000,
      jitter: 0.2,
    })
    expect(given({ strategy: 'exponential' })).toEqual(defaultBackoff)
  })

  it('a delay longer than the default maximum raises it', () => {
    expect(given({ strategy: 'fixed', delay: '1h' })).toMatchObject({ delayMs: 3_600_000, maxMs: 3_600_000 })
    expect(given({ strategy: 'list', delays: ['1s', '2h'] }).maxMs).toBe(7_200_000)
    expect(given({ strategy: 'exponential', base: '10m' }).maxMs).toBe(600_000)
  })

  it.each<[string, unknown, string]>([
    // B026
    [
      'a base of 0',
      { strategy: 'exponential', base: 0 },
      'backoff.base is 0; it must be whole milliseconds or text such as "30s", from 1ms to',
    ],
    [
      'a base of null',
      { strategy: 'exponential', base: null },
      'backoff.base is null; it must be whole milliseconds or text',
    ],
    [
      'a quadratic base of 0',
      { strategy: 'quadratic', base: '0s' },
      'backoff.base is "0s"; it must be whole milliseconds or text such as "30s", from 1ms to',
    ],
    // B041
    [
      'a factor that is NaN',
      { strategy: 'exponential', factor: Number.NaN },
      'backoff.factor is NaN; it must be a number from 1 to 100',
    ],
    ['a factor below 1', { strategy: 'exponential', factor: 0.5 }, 'backoff.factor is 0.5'],
    ['a factor in words', { strategy: 'exponential', factor: 'two' }, 'backoff.factor is "two"'],
    ['a factor of null', { strategy: 'exponential', factor: null }, 'backoff.factor is null'],
    [
      'a jitter above 1',
      { strategy: 'fixed', delay: 1, jitter: 1.5 },
      'backoff.jitter is 1.5; it must be a number from 0 to 1',
    ],
    ['a jitter of NaN', { strategy: 'fixed', delay: 1, jitter: Number.NaN }, 'backoff.jitter is NaN'],
    ['a negative jitter', { strategy: 'fixed', delay: 1, jitter: -0.1 }, 'backoff.jitter is -0.1'],
    [
      'an infinite maximum',
      { strategy: 'exponential', max: Number.POSITIVE_INFINITY },
      'backoff.max is Infinity; it must be whole milliseconds or text such as "30s", from 0ms to 3653d',
    ],
    [
      'a maximum below the base',
      { strategy: 'exponential', base: '10s', max: '1s' },
      'backoff.max is "1s"; it must be at least',
    ],
    [
      'a negative delay',
      { strategy: 'fixed', delay: -1 },
      'backoff.delay is -1; it must be whole milliseconds or text such as "30s", from 0ms to 3653d',
    ],
    ['no delay', { strategy: 'fixed' }, 'backoff.delay is undefined; it must be whole milliseconds or text'],
    [
      'a delay in words',
      { strategy: 'fixed', delay: 'soon' },
      'backoff.delay is "soon"; it must be whole milliseconds or text',
    ],
    [
      'an empty list',
      { strategy: 'list', delays: [] },
      'backoff.delays is []; it must be a list of 1 to 100 durations',
    ],
    ['no list', { strategy: 'list', delays: '5s' }, 'backoff.delays is "5s"'],
    [
      'one bad delay of a list',
      { strategy: 'list', delays: ['5s', '5'] },
      'backoff.delays[1] is "5"; it must be whole milliseconds or text',
    ],
    [
      'an unknown strategy',
      { strategy: 'expo' },
      'backoff.strategy is "expo"; it must be one of exponential, quadratic, list, fixed',
    ],
    // B107
    [
      'a strategy named like an inherited member',
      { strategy: 'constructor' },
      'backoff.strategy is "constructor"',
    ],
    // B041
    ['a misspelt option', { strategy: 'exponential', bse: 5 }, 'backoff."bse" is not an option'],
    ['null', null, 'backoff is null'],
    ['a bare duration', '5s', 'backoff is "5s"'],
  ])('%s is refused by key, value and range', (_, option, message) => {
    expect(() => given(option as BackoffOption)).toThrow(
      expect.objectContaining({ code: 'invalid_handler', message: expect.stringContaining(message) }),
    )
  })
})

describe('delays', () => {
  const option = fc.oneof<fc.Arbitrary<BackoffOption>[]>(
    fc.record({
      strategy: fc.constant('exponential' as const),
      base: fc.integer({ min: 1, max: 1e9 }),
      factor: fc.double({ min: 1, max: 100, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      strategy: fc.constant('quadratic' as const),
      base: fc.integer({ min: 1, max: 1e9 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      strategy: fc.constant('list' as const),
      delays: fc.array(fc.integer({ min: 0, max: 1e10 }), { minLength: 1, maxLength: 9 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      strategy: fc.constant('fixed' as const),
      delay: fc.integer({ min: 0, max: 1e10 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  )
  const failures = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(Number.MAX_SAFE_INTEGER))

  // B027
  it('are whole, finite, at least 0 and never above the maximum', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(option, failures, random, (written, n, r) => {
        const backoff = given(written)
        const delay = backoffDelayMs(backoff, n, () => r)
        expect(Number.isSafeInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(backoff.maxMs)
      }),
    )
  })

  // B027
  it('never shrink with the failures before jitter, except as a list says', () => {
    fc.assert(
      fc.property(
        option.filter(({ strategy }) => strategy !== 'list'),
        fc.integer({ min: 1, max: 400 }),
        (written, n) => {
          const backoff = { ...given(written), jitter: 0 }
          expect(backoffDelayMs(backoff, n + 1, () => 0)).toBeGreaterThanOrEqual(
            backoffDelayMs(backoff, n, () => 0),
          )
        },
      ),
    )
  })

  // B027
  it('a factor of 10 reaches the cap and stays there', () => {
    const backoff = given({ strategy: 'exponential', factor: 10, jitter: 0 })
    for (let n = 8; n <= 400; n++) expect(backoffDelayMs(backoff, n, () => 0)).toBe(300_000)
  })

  // A11
  it('jitter 0.2 keeps 10,000 draws within 20 %, never above the maximum, and two seeds differ', () => {
    const backoff = given({ strategy: 'fixed', delay: 1_003 })
    const draw = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 10_000 }, () => backoffDelayMs(backoff, 1, random))
    }
    const drawn = draw(1)
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(1_003 * 0.8)
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1_003 * 1.2)
    expect(new Set(drawn).size).toBeGreaterThan(300)
    expect(draw(1)).toEqual(drawn)
    expect(draw(2)).not.toEqual(drawn)
  })

  it.each([
    ['below the cap', { strategy: 'fixed', delay: 2_500 } as const],
    ['at the cap', { strategy: 'exponential', base: 5_000, max: 5_000 } as const],
    // B029
  ])('1,000 jobs that failed together come back spread out, %s', (_, written) => {
    const backoff = given(written)
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed)
      const buckets = new Map<number, number>()
      for (let job = 0; job < 1_000; job++) {
        const bucket = Math.floor(backoffDelayMs(backoff, 3, random) / 100)
        buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
      }
      expect(Math.max(...buckets.values()), `seed ${seed}`).toBeLessThanOrEqual(150)
    }
  })
})
