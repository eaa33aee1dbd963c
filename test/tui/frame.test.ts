import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/app.ts'
import { systemClock } from '../../src/clock.ts'
import { displayWidth } from '../../src/text/width.ts'
import { frameOf } from '../../src/tui/frame.ts'
import { screens } from '../../src/tui/keys.ts'
import { plainPaint, createPaint } from '../../src/terminal/paint.ts'
import { reduce } from '../../src/tui/reduce.ts'
import { readSnapshot } from '../../src/tui/read-snapshot.ts'
import { sourceOf, type Source } from '../../src/tui/source.ts'
import { initialState, queryOf, type Size, type State } from '../../src/tui/state.ts'
import { hostileStore, secret, unsafe } from '../support/hostile-store.ts'
import { outage, shown, textOf } from './support/outage.ts'
import { breaker, jobs, press, read, start, type, typeRow } from './support/scene.ts'

const sizes: readonly Size[] = [
  [1, 1],
  [2, 40],
  [20, 5],
  [40, 10],
  [60, 16],
  [79, 24],
  [80, 24],
  [119, 30],
  [120, 40],
  [200, 50],
  [500, 200],
].map(([columns = 0, rows = 0]) => ({ columns, rows }))

/** Every screen of a store, with lists, details on every side, marks, help, a prompt and a filter. */
async function everyState(source: Source, size: Size): Promise<readonly State[]> {
  const reads = async (state: State) =>
    reduce(state, { type: 'read', snapshot: await readSnapshot(source, queryOf(state)) })
  const found: State[] = []
  for (const { screen } of screens) {
    const list = await reads(initialState({ size, now: source.now(), screen }))
    const opened = await reads(await reads(press(await reads(press(list, 'open')), 'open')))
    found.push(
      list,
      opened,
      await reads(press(opened, 'attempts')),
      await reads(press(opened, 'explain')),
      press(list, 'mark-all'),
      press(list, 'help'),
    )
    found.push(
      type(press(list, 'filter'), '漢字 👩‍👩‍👧', '--nonsense', 'enter'),
      type(press(list, 'palette'), 're'),
    )
  }
  return found
}

const hostileSource = async () => {
  const { location } = await hostileStore()
  const store = await openStore({ location, mode: 'read' })
  return { source: sourceOf(store, systemClock), close: () => store.close() }
}

/** Hundreds of frames of texts that are ten thousand characters long. */
describe('a frame', () => {
  // B124
  it('is never as tall as the terminal nor wider than it, at any size', async () => {
    const { source, close } = await hostileSource()
    for (const size of sizes) {
      for (const state of await everyState(source, size)) {
        const lines = frameOf(state, plainPaint)
        expect(lines.length).toBeLessThanOrEqual(Math.max(1, size.rows - 1))
        for (const { text } of lines)
          expect([size, text, displayWidth(text) <= size.columns]).toEqual([size, text, true])
      }
    }
    await close()
  })

  // B124
  it('says that a terminal is too small in one line', () => {
    const lines = frameOf(start({ size: { columns: 39, rows: 9 } }), plainPaint)
    expect(lines.map(({ text }) => text)).toEqual(['wf: 39×9 is too small, 40×10 is needed'])
  })

  // A39 B130
  it('holds no control byte and no secret, whatever stands in the store', async () => {
    const { source, close } = await hostileSource()
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 160, rows: 60 },
    ]) {
      for (const state of await everyState(source, size)) {
        const text = frameOf(state, plainPaint).map((line) => line.text)
        for (const line of text) {
          expect(unsafe.exec(line)?.[0]).toBeUndefined()
          expect(secret.exec(line)?.[0]).toBeUndefined()
        }
      }
    }
    await close()
  })

  // B129
  it('keeps the rule between list and detail in one column, whatever is beside it', async () => {
    const { source, close } = await hostileSource()
    for (const state of await everyState(source, { columns: 160, rows: 50 })) {
      if (state.overlay !== null || state.screen === 'overview') continue
      const columns = frameOf(state, plainPaint).flatMap(({ text }) =>
        /[│┃]/.test(text) ? [displayWidth(text.split(/[│┃]/)[0] ?? '')] : [],
      )
      expect(new Set(columns).size).toBeLessThanOrEqual(1)
    }
    await close()
  })

  // B136
  it('says the same with colours as without, and only colours are added', async () => {
    const paint = await createPaint(true)
    const scene = await outage()
    for (const { screen } of screens) {
      const state = await shown(scene, { size: { columns: 160, rows: 40 }, screen })
      const coloured = textOf(state, paint)
      expect(coloured).toMatch(/\u001b\[/)
      const plain = coloured.replace(/\u001b\[[\d;]*m/g, '')
      expect(plain.split('\n').map((line) => line.trimEnd())).toEqual(textOf(state).split('\n'))
    }
  })

  // B136
  it('tells what is selected, marked, open and stale without colour', () => {
    const state = read(press(read(start({ screen: 'jobs' }), jobs(1, 2, 3)), 'mark'), jobs(1, 2, 3))
    expect(textOf(state)).toMatch(/^ \* +1 /m)
    expect(textOf(state)).toMatch(/^▸ +2 /m)
    const breakers = read(start({ screen: 'breakers' }), [
      breaker('stripe'),
      breaker('smtp', { mode: 'half_open' }),
      breaker('db', { mode: 'closed' }),
    ])
    expect(textOf(breakers)).toMatch(/■ open[\s\S]*◪ half-open[\s\S]*□ closed/)
    expect(
      textOf(
        reduce(
          { ...state, now: state.now + 12_000 },
          { type: 'failed', why: 'locked', at: state.now + 12_000 },
        ),
      ),
    ).toContain('stale 12s')
    expect(textOf(press(state, 'freeze'))).toContain('FROZEN')
  })

  // B131
  it('says how old the data are when they cannot be read, and goes on showing them', () => {
    const state = read(start({ screen: 'incidents', size: { columns: 140, rows: 30 } }), [])
    const failed = reduce(
      { ...state, now: state.now + 12_300 },
      { type: 'failed', why: 'the store is locked', at: state.now + 12_300 },
    )
    expect(textOf(failed)).toContain('stale 12s: the store is locked')
    expect(textOf(failed)).toContain('/data/wf.db')
  })

  it('keeps the alarm where there is no room for its words', async () => {
    const text = textOf(await shown(await outage(), { size: { columns: 60, rows: 16 } }))
    expect(text.split('\n')[0]).toMatch(/▲ 17 +■ 1 +due 3m$/)
  })

  it('counts down to the next start of a job', () => {
    const state = read(start({ screen: 'jobs' }), jobs(7))
    expect(textOf(state)).toMatch(/waiting: backoff +5s/)
    expect(textOf({ ...state, now: state.now + 3_000 })).toMatch(/waiting: backoff +2s/)
    expect(textOf({ ...state, now: state.now + 9_000 })).toMatch(/waiting: backoff +due/)
  })

  it('shows who is where on an empty store', () => {
    expect(textOf(read(start(), [typeRow('mail')]))).toContain('none open')
    expect(textOf(read(start({ screen: 'dead-letters' }), []))).toContain('no open dead letters')
    expect(textOf(read(start({ screen: 'incidents' }), []))).toContain('nothing waits for a person')
  })
})
