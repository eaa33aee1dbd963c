/** A store full of jobs that ended in all ways, from a seed, and arbitrary selectors that mean some of them. */
import { pauseTypes } from './plans.ts'
import fc from 'fast-check'
import { errorRecord } from '../../src/domain/error-record.ts'
import { deadLetterReasons } from '../../src/domain/dead-letter.ts'
import { incidentKinds } from '../../src/domain/incident.ts'
import { jobStates, type ClaimedJob } from '../../src/domain/job.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import type { Selector } from '../../src/domain/selector.ts'
import { seededRandom } from '../../src/random.ts'
import { exhaustedToDeadLetter, outcomes, type Scene } from './store-scene.ts'
import type { Known } from './selector-model.ts'

const words = [
  'connect ETIMEDOUT 10.0.0.1:443',
  'card declined',
  'Straße gesperrt — ПРИВЕТ',
  'a\nb\u0000c\u001b[2J',
  '%_*?"\'; DROP TABLE wf_jobs; --',
  '(a+)+$',
  'x'.repeat(6_000),
]
const codes = ['ETIMEDOUT', 'E 1', 'NO', "it's, ok"]
const types = ['mail', 'charge-payment', "it's", '__proto__']
/** Values that are easily taken for each other. */
export const values: readonly unknown[] = [
  ...[
    0,
    1,
    -1,
    1.5,
    7,
    2 ** 53,
    2 ** 53 - 1,
    2 ** 60,
    1e21,
    1e-7,
    '',
    '7',
    'null',
    'true',
    'o-1',
    '9007199254740993',
    'é\u0000"\\',
  ],
  ...[null, true, false, [], [1, 2], ['a'], {}, { b: 1 }, { b: 1, c: [null] }, { c: [null], b: 1 }],
]
export const names: readonly string[] = [
  'customer',
  'a',
  'b',
  '0',
  '1',
  'a.b',
  'a"b',
  "a'b",
  'a]b',
  'a[0]',
  '$',
  '',
  ' ',
  '\\',
  'ä',
  '__proto__',
  'constructor',
  'length',
  'toString',
  'x\u0000y',
]

/** A third of what is asked for is there. */
export async function selectorWorld(scene: Scene, seed: number): Promise<readonly Known[]> {
  const random = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const variables = (depth = 0): unknown => {
    if (depth === 2 || random() < 0.4) return pick(values)
    if (random() < 0.3) return [variables(depth + 1), variables(depth + 1)]
    return Object.fromEntries(Array.from({ length: 3 }, () => [pick(names), variables(depth + 1)]))
  }
  await scene.join('w#1')
  for (let count = 0; count < 60; count++) {
    const members = Object.fromEntries(Array.from({ length: 4 }, () => [pick(names), variables()]))
    const delay = random() < 0.1 ? { delay: '1h' } : {}
    await scene.add({
      type: pick(types),
      variables: members,
      priority: Math.floor(random() * 3) - 1,
      retries: 1 + Math.floor(random() * 3),
      ...delay,
    })
    await scene.clock.advance(Math.floor(random() * 3) * 1_000)
    if (random() < 0.8) await live(scene, { random, pick })
  }
  return known(scene)
}

interface Chance {
  random: () => number
  pick<T>(list: readonly T[]): T
}

async function live(scene: Scene, { random, pick }: Chance): Promise<void> {
  const claims = types.map((type) => ({ type, limit: 2, timeoutMs: 60_000, retries: 3 }))
  for (const job of await scene.claim({ types: claims, limit: 2, suspects: random() < 0.3 })) {
    if (random() < 0.15) continue
    const policy = random() < 0.3 ? { policy: exhaustedToDeadLetter } : {}
    await scene.settle(job, outcomeOf(job, { random, pick }), policy)
    if (random() < 0.3)
      await scene.resolve(job.key, pick(['resolve', 'dlq_retry', 'cancel', 'retry', 'discard']))
  }
  await pauseTypes(scene.store, types, { paused: false, reason: null, who: 'ada' }, scene.now())
}

function outcomeOf(_job: ClaimedJob, { random, pick }: Chance): Outcome {
  const error = errorRecord(
    Object.assign(new Error(pick(words)), random() < 0.6 ? { code: pick(codes) } : {}),
  )
  const kinds: readonly Outcome[] = [
    ...[
      outcomes.success({ r: 1 }),
      outcomes.business(true),
      outcomes.business(false),
      outcomes.lost(),
      outcomes.badResult(),
      outcomes.interrupted(),
    ],
    ...Array.from({ length: 4 }, (): Outcome => ({ kind: 'fail', category: 'error', error })),
    ...[
      { kind: 'incident', incident: 'raised', error } as const,
      { kind: 'incident', incident: 'non_retryable', error } as const,
    ],
    ...[{ kind: 'poison', error } as const, { kind: 'poison', error } as const],
  ]
  return pick(kinds)
}

async function known({ store }: Scene): Promise<readonly Known[]> {
  const { items } = await store.jobs({}, { limit: 1_000 })
  return Promise.all(
    items.map(async ({ key }) => {
      const [detail, letter] = [await store.job(key), await store.deadLetter(key)]
      if (detail === null) throw new Error(`no job ${key}`)
      return { ...detail, letterVariables: letter?.variables ?? null }
    }),
  )
}

const patterns = [
  '^connect',
  'ETIME.*443$',
  '\\bdeclined\\b',
  '[0-9]+\\.',
  'stra(ss|ß)e',
  'a.b',
  '^(x{10}|\\w+ )+$',
  '\\(a\\+\\)',
  'привет',
  '^NO$',
  '"|\'',
]

/** Of a selector that means anything in such a store. */
export function anySelector(all: readonly Known[]): fc.Arbitrary<Selector> {
  const some = <T>(list: readonly T[]) =>
    fc.uniqueArray(fc.constantFrom(...list), { minLength: 1, maxLength: 3 })
  const times = all.map(({ job }) => job.createdAt)
  const time = fc.integer({ min: Math.min(...times) - 1, max: Math.max(...times) + 10_000 })
  const prints = [
    ...new Set(all.flatMap(({ incidents }) => incidents.map(({ fingerprint }) => fingerprint))),
    '0123456789abcdef',
  ]
  const text = fc.oneof(
    fc.constantFrom(...words, ...codes, 'etimedout', 'STRASSE', 'error', 'e', 'x'.repeat(50)),
    fc.string({ unit: 'binary', minLength: 1 }),
  )
  const error = fc.oneof(
    text.map((each) => ({ text: each })),
    fc
      .tuple(fc.constantFrom(...patterns), fc.boolean())
      .map(([pattern, ignoreCase]) => (ignoreCase ? { pattern, ignoreCase } : { pattern })),
  )
  const keys = fc.oneof(
    fc.constant(all.map(({ job }) => job.key)),
    some([...all.map(({ job }) => job.key), 999]),
  )
  return fc
    .record(
      {
        keys,
        types: some(types),
        states: some(jobStates),
        incidentKinds: some(incidentKinds),
        deadLetterReasons: some(deadLetterReasons),
        error,
        codes: some([...codes, 'none']),
        fingerprints: some(prints),
        since: time,
        until: time,
        where: fc.array(anyCondition(all), { minLength: 1, maxLength: 2 }),
        workerId: fc.constantFrom('w#1', 'w#2'),
        includeClosed: fc.constant(true),
      },
      { requiredKeys: [] },
    )
    .chain((full) =>
      fc.shuffledSubarray(Object.keys(full), { maxLength: 3 }).map((names) => only(full, names) as Selector),
    )
}

const only = (full: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(full).filter(([name]) => names.includes(name)))

/** Mostly of what is there. */
function anyCondition(all: readonly Known[]) {
  const there = all.flatMap(({ variables }) => placesIn(JSON.parse(variables)))
  const path = (keys: readonly string[]) => keys.map((key) => `[${JSON.stringify(key)}]`).join('')
  const known = fc.constantFrom(...there).map(([keys, value]) => ({ path: path(keys), value }))
  const other = fc
    .tuple(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), fc.constantFrom(...values))
    .map(([keys, value]) => ({ path: path(keys), value }))
  const mixed = fc
    .constantFrom(...there)
    .chain(([keys, value]) =>
      fc.constantFrom(...likeness(value)).map((other) => ({ path: path(keys), value: other })),
    )
  return fc.oneof(
    { weight: 3, arbitrary: known },
    { weight: 1, arbitrary: other },
    { weight: 2, arbitrary: mixed },
  )
}

/** What a careless comparison would take for it: 1, `1` and true; 0, empty text, false and null. */
function likeness(value: unknown): readonly unknown[] {
  if (typeof value === 'object' && value !== null) return values
  const plain = values.filter((other) => typeof other !== 'object' || other === null)
  const alike = plain.filter((other) => String(other) === String(value) || Number(other) === Number(value))
  return alike.length > 0 ? alike : values
}

function placesIn(value: unknown, keys: readonly string[] = []): (readonly [readonly string[], unknown])[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => placesIn(member, [...keys, key]))
      : []
  return keys.length === 0 ? below : [[keys, value], ...below]
}
