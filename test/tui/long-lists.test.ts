import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/random.ts'
import { rowsAt } from '../../src/tui/list-pages.ts'
import { resolveTargets } from '../../src/tui/resolve-targets.ts'
import { Changes, type ChangesParts } from '../../src/tui/changes.ts'
import { actionOf } from '../../src/tui/action.ts'
import { reduce } from '../../src/tui/reduce.ts'
import { readSnapshot } from '../../src/tui/read-snapshot.ts'
import { sourceOf, type Source } from '../../src/tui/source.ts'
import { initialState, itemsOf, queryOf, selectedItem, type State } from '../../src/tui/state.ts'
import type { Command } from '../../src/tui/keys.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'
import { textOf } from './support/outage.ts'
import { jobs, press, snapshotOf, start, type as typed } from './support/scene.ts'

const size = { columns: 80, rows: 16 }

interface Long extends TestEngine {
  source: Source
}

async function made(fill: (engine: TestEngine) => Promise<unknown>): Promise<Long> {
  const engine = await testEngine()
  await engine.join('w#1', { types: ['mail'], concurrency: 1_000 })
  await fill(engine)
  return { ...engine, source: sourceOf(engine.store, engine.clock) }
}

const enqueue = ({ engine }: TestEngine, count: number, more: object = {}) =>
  engine.enqueue(Array.from({ length: count }, () => ({ type: 'mail', variables: {}, ...more })))

/** All are claimed before the first one stops: so many broken ones in a row pause their type. */
async function stop(
  engine: TestEngine,
  count: number,
  outcome = outcomes.fail('connection refused'),
): Promise<void> {
  await enqueue(engine, count, { retries: 1 })
  for (const job of await engine.claim({ limit: count })) await engine.settle(job, outcome)
}

/** Reads until nothing else is asked for, as the loop behind the screen does. */
async function settled(source: Source, state: State): Promise<State> {
  for (let asked = '', now = state; ; ) {
    const query = queryOf(now)
    now = reduce(now, { type: 'read', snapshot: await readSnapshot(source, query) })
    const next = JSON.stringify(queryOf(now))
    if (next === JSON.stringify(query) || next === asked) return now
    asked = next
  }
}

const at = (screen: State['screen'], source: Source, over = {}) =>
  settled(source, initialState({ size, now: source.now(), screen, ...over }))
const selected = (state: State) => selectedItem(state)?.id ?? null
const numbered = (state: State) =>
  /(\d[\d,]*) of (\d[\d,]*)\n/
    .exec(textOf(state))
    ?.slice(1)
    .map((text) => Number(text.replace(',', ''))) ?? []

const steps: readonly (readonly [Command, number])[] = [
  ...(['down', 'up', 'page-down', 'page-up'] as const).flatMap((command) =>
    [1, 3, 11, 29].map((times) => [command, times] as const),
  ),
  ['first', 1],
  ['last', 1],
]

/** Goes to and fro, and is always at the row of the list that a list without pages would be at. */
async function wander({
  source,
  all,
  from,
  seed,
}: {
  source: Source
  all: readonly string[]
  from: State
  seed: number
}): Promise<void> {
  const random = seededRandom(seed)
  const page = 9
  const by: Partial<Record<Command, number>> = {
    down: 1,
    up: -1,
    'page-down': page,
    'page-up': -page,
    first: -all.length,
    last: all.length,
  }
  let [state, index, most] = [from, 0, 0]
  const path: string[] = []
  for (let step = 0; step < 40; step++) {
    const [command, times] = steps[Math.floor(random() * steps.length)] ?? steps[0]!
    path.push(`${times} ${command}`)
    for (let time = 0; time < times; time++) {
      const query = JSON.stringify(queryOf(state))
      state = press(state, command)
      // What asks for nothing else is not read again.
      if (JSON.stringify(queryOf(state)) !== query || selected(state) === null)
        state = await settled(source, state)
      index = Math.max(0, Math.min(all.length - 1, index + (by[command] ?? 0)))
    }
    most = Math.max(most, itemsOf(state)?.length ?? 0)
    expect([selected(state), numbered(state)], `seed ${seed}: ${path.join(', ')}`).toEqual([
      all[index],
      [index + 1, all.length],
    ])
  }
  expect(most).toBeLessThanOrEqual(150)
}

describe('a list of any length', () => {
  it.each([1, 2])(
    'is gone through to its end and back, dead letters and incidents (seed %i)',
    async (seed) => {
      const { source, store } = await made((engine) => stop(engine, 430, outcomes.poison('broken')))
      const letters = (await store.deadLetters({}, { limit: 1_000 })).items.map(
        ({ jobKey }) => `job:${jobKey}`,
      )
      const from = await at('dead-letters', source)
      await wander({ source, all: letters, from, seed })
      const members = await settled(source, press(await at('incidents', source), 'open'))
      const incidents = (await store.incidents({}, { limit: 1_000 })).items.map(
        ({ jobKey }) => `job:${jobKey}`,
      )
      await wander({ source, all: incidents, from: members, seed })
    },
  )

  it.each([1, 2])('is gone through over all that waits, runs and is due (seed %i)', async (seed) => {
    const { source, store } = await made(async (engine) => {
      await enqueue(engine, 90)
      await engine.claim({ limit: 90 })
      for (let minutes = 130; minutes > 0; minutes--) await enqueue(engine, 1, { delay: `${minutes}m` })
      await enqueue(engine, 210)
    })
    const keys = async (state: 'waiting' | 'running' | 'available', sort: 'due' | 'oldest' | 'newest') =>
      (await store.jobs({ states: [state] }, { limit: 1_000, sort })).items.map(({ key }) => `job:${key}`)
    const all = [
      ...(await keys('waiting', 'due')),
      ...(await keys('running', 'oldest')),
      ...(await keys('available', 'newest')),
    ]
    expect(all).toHaveLength(430)
    await wander({ source, all, from: await at('jobs', source), seed })
  })

  it('keeps its place and tells the right number while others come above it and go below it', async () => {
    const long = await made((engine) => stop(engine, 400))
    const { source, engine, store } = long
    let state = await settled(source, press(await at('incidents', source), 'open'))
    for (let page = 0; page < 25; page++) state = await settled(source, press(state, 'page-down'))
    const [id, place] = [selected(state), numbered(state)]
    expect(place).toEqual([226, 400])
    await stop(long, 7)
    const key = Number(id?.slice('job:'.length))
    const older = (await store.incidents({}, { limit: 1_000 })).items
      .map(({ jobKey }) => jobKey)
      .filter((each) => each < key)
    await engine.resolve(
      [1, 3, 40].map((from) => ({ jobKey: older[from] ?? 0, verb: 'resolve', who: 'ann', reason: null })),
    )
    state = await settled(source, state)
    expect([selected(state), numbered(state)]).toEqual([id, [233, 404]])
    // The row below takes the place of one that goes.
    await engine.resolve([{ jobKey: key, verb: 'resolve', who: 'ann', reason: null }])
    state = await settled(source, state)
    expect([selected(state), numbered(state)]).toEqual([`job:${older[0]}`, [233, 403]])
    expect(numbered(await settled(source, press(state, 'last')))).toEqual([403, 403])
  })

  it('keeps the selected row, however many come above it', async () => {
    const long = await made((engine) => stop(engine, 60))
    const { source } = long
    let state = await settled(
      source,
      press(await settled(source, press(await at('incidents', source), 'open')), 'down'),
    )
    for (let round = 1; round <= 12; round++) {
      await stop(long, 30)
      state = await settled(source, state)
      expect([selected(state), numbered(state)]).toEqual(['job:59', [2 + round * 30, 60 + round * 30]])
      expect(itemsOf(state)?.length).toBeLessThanOrEqual(150)
    }
  })

  it('begins anew where all of a page that was far down is gone', async () => {
    const { source, engine, store } = await made((all) => stop(all, 400))
    const last = await settled(
      source,
      press(await settled(source, press(await at('incidents', source), 'open')), 'last', 'up'),
    )
    expect(numbered(last)).toEqual([399, 400])
    const keys = (await store.incidents({}, { limit: 1_000 })).items.map(({ jobKey }) => jobKey)
    await engine.resolve(
      keys.slice(5).map((jobKey) => ({ jobKey, verb: 'resolve', who: 'ann', reason: null })),
    )
    const left = await settled(source, last)
    expect(numbered(left)).toEqual([5, 5])
  })

  it('takes a key that comes before the page does from the row that is still to come, and nothing for an action', () => {
    const long = { more: true, next: '51', cut: '51', total: 400 }
    const page = (from: number) => jobs(...Array.from({ length: 50 }, (_, index) => from - index))
    const state = reduce(start({ screen: 'jobs', size }), {
      type: 'read',
      snapshot: snapshotOf(start({ screen: 'jobs', size }), page(400), long),
    })
    const asked = press(state, 'last', 'up', 'up', 'down')
    expect([selected(asked), actionOf(asked, 'cancel')]).toEqual([null, 'nothing is selected'])
    const there = reduce(asked, {
      type: 'read',
      snapshot: snapshotOf(asked, page(50), { ...long, first: 350 }),
    })
    expect([selected(there), numbered(there)]).toEqual(['job:2', [399, 400]])
    // A page that was on its way before is not the one that was asked for.
    const late = reduce(asked, { type: 'read', snapshot: snapshotOf(state, page(400), long) })
    expect(selected(late)).toBe(null)
  })

  it('says that a frozen screen reads no further, and stays where it is', () => {
    const first = start({ screen: 'jobs', size })
    const long = snapshotOf(first, jobs(...Array.from({ length: 50 }, (_, index) => 400 - index)), {
      more: true,
      next: '351',
      total: 400,
    })
    const frozen = press(reduce(first, { type: 'read', snapshot: long }), 'freeze', 'last')
    expect([selected(frozen), frozen.notice?.text]).toEqual(['job:400', 'the screen is frozen: p resumes it'])
    expect(queryOf(frozen).place.cursor).toBe(null)
  })
})

describe('a filter that finds few in much', () => {
  it('is looked on row by row in both directions, and each is seen once', async () => {
    const all = Array.from({ length: 60 }, (_, index) => 100 - index)
    // As a store that looks into some rows at a time: hardly any fits, often none.
    const fetch = async ({ cursor, reverse = false }: { cursor?: string; reverse?: boolean }) => {
      const order = reverse ? [...all].reverse() : all
      const from = cursor === undefined ? 0 : Number(cursor)
      const found = order.slice(from, from + 3).filter((key) => key % 3 > 0)
      return { items: jobs(...found), next: from + 3 < order.length ? String(from + 3) : null }
    }
    const looked = async (state: State): Promise<State> => {
      const query = queryOf(state)
      const rows = await rowsAt(fetch, query)
      const next = reduce(state, {
        type: 'read',
        snapshot: snapshotOf(state, rows.items, { ...rows, first: null, total: null }),
      })
      return JSON.stringify(queryOf(next).place) === JSON.stringify(query.place) ? next : looked(next)
    }
    const wanted = all.filter((key) => key % 3 > 0).map((key) => `job:${key}`)
    let state = await looked(start({ screen: 'jobs', size }))
    const walk = async (command: Command) => {
      const seen = [selected(state)]
      for (let step = 0; step < 80; step++) {
        state = await looked(press(state, command))
        if (seen.at(-1) !== selected(state)) seen.push(selected(state))
      }
      return seen
    }
    expect(await walk('down')).toEqual(wanted)
    expect(textOf(state)).toMatch(/40 of 40\n/)
    expect(await walk('up')).toEqual([...wanted].reverse())
    state = await looked(press(state, 'last'))
    expect([selected(state), /the last\n/.test(textOf(state))]).toEqual([wanted.at(-1), true])
    expect(textOf(press(state, 'up', 'up'))).toMatch(/2 before the last\n/)
    expect(await walk('up')).toEqual([...wanted].reverse())
  })
})

describe('marks', () => {
  it('are on all of a list however long, and what is gone of them is told before anything is done', async () => {
    const { source, engine, clock } = await made((all) => stop(all, 400))
    let state = await settled(source, press(await at('incidents', source), 'open'))
    const heard = new Set<() => void>()
    const stateStore: ChangesParts['stateStore'] = {
      state: () => state,
      dispatch(event) {
        state = reduce(state, event)
        for (const each of heard) each()
      },
      subscribe: () => () => {},
      close: () => {},
    }
    const changes = new Changes({ stateStore, source, clock } as unknown as ChangesParts)
    stateStore.dispatch({ type: 'command', command: 'mark-all' })
    expect(textOf(state)).toMatch(/marking all …/)
    await new Promise<void>((resolve) => {
      heard.add(resolve)
      changes.markAll()
    })
    expect(textOf(state)).toMatch(/400 marked/)
    state = await settled(source, press(await settled(source, press(state, 'last')), 'mark'))
    expect(textOf(state)).toMatch(/399 marked/)
    await engine.resolve([5, 6].map((jobKey) => ({ jobKey, verb: 'resolve', who: 'ann', reason: null })))
    const action = actionOf(state, 'resolve')
    if (typeof action === 'string') throw new Error(action)
    const panel = reduce(reduce(state, { type: 'proposed', id: 1, action }), {
      type: 'resolved',
      id: 1,
      ...(await resolveTargets(source.reader, action, source.now())),
    })
    expect(textOf(panel)).toMatch(/397 jobs; 2 of the selected jobs no longer match/)
  })

  it('stay on rows that are on no page any more', () => {
    const first = typed(start({ screen: 'jobs', size }))
    const long = { more: true, next: '351', total: 400 }
    const page = (from: number) => jobs(...Array.from({ length: 50 }, (_, index) => from - index))
    const one = press(reduce(first, { type: 'read', snapshot: snapshotOf(first, page(400), long) }), 'mark')
    const far = reduce(press(one, 'last'), {
      type: 'read',
      snapshot: snapshotOf(press(one, 'last'), page(50), { ...long, first: 350 }),
    })
    expect(actionOf(press(far, 'mark'), 'cancel')).toMatchObject({ selector: { keys: [400, 1] } })
  })
})
