import { describe, expect, it } from 'vitest'
import { marksOfTargets } from '../../src/tui/selection.ts'
import { actionOf } from '../../src/tui/action.ts'
import { pasteMark } from '../../src/tui/key-names.ts'
import { reduce } from '../../src/tui/reduce.ts'
import { itemsOf, listOf, queryOf, selectedItem } from '../../src/tui/state.ts'
import { breaker, figures, incident, jobs, noon, press, read, start, type } from './support/scene.ts'

const onJobs = (...keys: readonly number[]) => read(start({ screen: 'jobs' }), jobs(...keys))
const selected = (state: ReturnType<typeof start>) => selectedItem(state)?.id ?? null

describe('selecting', () => {
  it.each([
    [['down'], 'job:2'],
    [['down', 'down', 'down', 'down'], 'job:3'],
    [['up'], 'job:1'],
    [['last'], 'job:3'],
    [['last', 'first'], 'job:1'],
    [['page-down'], 'job:3'],
    [['page-down', 'page-up'], 'job:1'],
  ] as const)('%j of three jobs stands on %s', (commands, id) => {
    expect(selected(press(onJobs(1, 2, 3), ...commands))).toBe(id)
  })

  it('stays with its item when rows move above it', () => {
    const state = press(onJobs(1, 2, 3), 'down')
    expect(selected(read(state, jobs(9, 8, 7, 2, 3)))).toBe('job:2')
    expect(selected(press(read(state, jobs(9, 8, 7, 2, 3)), 'up'))).toBe('job:7')
  })

  it('takes the row that came into its place when its item is gone, and the last one at the end', () => {
    const state = press(onJobs(1, 2, 3), 'down')
    expect(selected(read(state, jobs(1, 3)))).toBe('job:3')
    expect(selected(read(press(onJobs(1, 2, 3), 'last'), jobs(1, 2)))).toBe('job:2')
    expect(selected(read(state, []))).toBe(null)
    expect(selected(press(read(state, []), 'down', 'open'))).toBe(null)
  })

  it('remembers where it was on each screen', () => {
    const away = press(onJobs(1, 2, 3), 'down', 'breakers')
    expect(selected(press(read(away, [breaker('stripe')]), 'jobs'))).toBe('job:2')
  })
})

describe('opening and going back', () => {
  it('opens a cause as its members, a member as its detail, and goes back the same way', () => {
    const cause = { kind: 'cause', id: 'cause:ab', cause: { fingerprint: 'ab', type: 'mail' } } as never
    const causes = read(start({ screen: 'incidents' }), [cause])
    const members = read(press(causes, 'open'), [incident(5), incident(4)])
    expect([listOf(members), queryOf(members).cause, selected(members)]).toEqual(['incidents', 'ab', 'job:5'])
    const detail = press(members, 'down', 'open')
    expect([detail.open, queryOf(detail).detail]).toEqual([
      true,
      { id: 'job:4', pane: 'page', letter: false },
    ])
    const attempts = press(detail, 'attempts')
    expect(queryOf(attempts).detail?.pane).toBe('attempts')
    const out = press(attempts, 'back')
    expect([out.open, out.pane]).toEqual([true, 'page'])
    expect(press(out, 'back')).toMatchObject({ open: false, cause: 'ab' })
    expect(press(out, 'back', 'back')).toMatchObject({ screen: 'incidents', cause: null })
    expect(press(out, 'back', 'back', 'back')).toMatchObject({ screen: 'overview' })
  })

  it('moves through an open detail instead of the list', () => {
    const state = press(onJobs(1, 2, 3), 'open', 'down', 'down')
    expect([selected(state), state.scroll]).toEqual(['job:1', 2])
    expect(press(state, 'first').scroll).toBe(0)
  })

  it('shows a cause from the overview on the incidents screen', () => {
    const cause = { kind: 'cause', id: 'cause:ab', cause: { fingerprint: 'ab', type: 'mail' } } as never
    expect(press(read(start(), [cause]), 'open')).toMatchObject({
      screen: 'incidents',
      cause: 'ab',
      open: false,
    })
  })
})

describe('marking', () => {
  it('marks one and goes on, marks all that are shown, and none', () => {
    const two = press(onJobs(1, 2, 3), 'mark', 'mark')
    expect([[...two.marks.keys()], selected(two)]).toEqual([['job:1', 'job:2'], 'job:3'])
    expect(press(two, 'mark-all').marks.size).toBe(0)
    expect(press(onJobs(1, 2, 3), 'mark-all').marks.size).toBe(3)
    expect([...press(two, 'first', 'mark').marks.keys()]).toEqual(['job:2'])
  })

  it('marks all of a long list once somebody has read which they are, unless it is wanted no more', () => {
    const long = read(start({ screen: 'jobs' }), jobs(1, 2, 3), { more: true, next: '3', total: null })
    const asked = press(long, 'mark-all')
    const key = asked.marking ?? ''
    const marks = marksOfTargets(
      'jobs',
      [1, 2, 3, 4].map((at) => ({ key: at, type: 'mail', kind: 'waiting' })),
    )
    const marked = (state: typeof asked, more = false) => reduce(state, { type: 'marked', key, marks, more })
    expect([asked.marks.size, marked(asked).marks.size, marked(asked).marking]).toEqual([0, 4, null])
    expect(actionOf(marked(asked), 'cancel')).toMatchObject({ selector: { keys: [1, 2, 3, 4] } })
    // What is not on the page stays marked, whatever is read.
    expect(read(marked(asked), jobs(3, 2), { more: true, next: '2', total: null }).marks.size).toBe(4)
    expect(marked(asked, true).notice?.text).toMatch(/only the first 4 rows are marked/)
    for (const left of [
      press(asked, 'back'),
      press(asked, 'mark-all'),
      press(asked, 'breakers', 'jobs'),
      type(press(asked, 'filter'), '7', 'enter'),
    ])
      expect(marked(left).marks.size).toBe(0)
  })

  it('forgets marks of what is gone, on another screen, by Esc, and when the filter changes', () => {
    const two = press(onJobs(1, 2, 3), 'mark', 'mark')
    expect([...read(two, jobs(2, 3)).marks.keys()]).toEqual(['job:2'])
    expect(press(two, 'breakers', 'jobs').marks.size).toBe(0)
    expect(press(two, 'back')).toMatchObject({ screen: 'jobs', marks: new Map() })
    expect(type(press(two, 'filter'), '--type mail', 'enter').marks.size).toBe(0)
  })
})

describe('the filter', () => {
  it('is read as the command line reads it, asks for other rows, and is taken away by Esc', () => {
    const state = type(
      press(onJobs(1, 2), 'filter'),
      '-',
      '-',
      'type',
      'space',
      'mailx',
      'backspace',
      'enter',
    )
    expect(state.overlay).toBe(null)
    expect(queryOf(state).selector).toEqual({ types: ['mail'] })
    // The rows of before are not those of this filter.
    expect(itemsOf(state)).toBe(null)
    expect(queryOf(press(state, 'back')).selector).toEqual({})
    expect(itemsOf(press(state, 'back'))).toHaveLength(2)
  })

  it('takes bare words as a part of the error', () => {
    expect(queryOf(type(press(onJobs(1), 'filter'), 'connection refused', 'enter')).selector).toEqual({
      error: { text: 'connection refused' },
    })
  })

  it('looks for bare words in the names of breakers and workers, and refuses what says nothing of them', () => {
    const at = (screen: 'breakers' | 'workers', text: string) =>
      type(press(start({ screen }), 'filter'), text, 'enter')
    expect(at('breakers', 'stripe').filters.breakers?.selector).toEqual({ error: { text: 'stripe' } })
    expect(at('workers', '17').filters.workers?.selector).toEqual({ error: { text: '17' } })
    expect(at('breakers', '--type mail').filters.breakers?.selector).toEqual({ types: ['mail'] })
    expect(at('workers', '--since 2h').overlay).toMatchObject({
      error: 'workers can be filtered by --type, or by words in their names',
    })
  })

  it('refuses what says nothing of the list', () => {
    const state = type(press(start({ screen: 'incidents' }), 'filter'), '--state completed', 'enter')
    expect(state.overlay).toMatchObject({ error: expect.stringContaining('does not narrow incidents') })
  })

  it('says what it cannot read, and stays open', () => {
    const state = type(press(onJobs(1), 'filter'), '--nonsense x', 'enter')
    expect(state.overlay).toMatchObject({ kind: 'prompt', error: expect.stringContaining('nonsense') })
    expect(type(state, 'esc').overlay).toBe(null)
    expect(queryOf(type(state, 'esc')).selector).toEqual({})
  })

  it('takes pasted text without its control characters', () => {
    expect(type(press(onJobs(1), 'filter'), `${pasteMark}a\u001b[2Jb\nc`).overlay).toMatchObject({
      text: 'a [2Jb c',
    })
  })
})

describe('what is read', () => {
  it('is thrown away while frozen, but for the detail', () => {
    const frozen = press(onJobs(1, 2), 'freeze')
    expect(itemsOf(read(frozen, jobs(7, 8)))).toHaveLength(2)
    expect(selected(read(frozen, jobs(7, 8)))).toBe('job:1')
    expect(itemsOf(read(press(frozen, 'freeze'), jobs(7, 8, 9)))).toHaveLength(3)
  })

  it('stays when reading fails, which is told from the last time that it worked', () => {
    const state = onJobs(1, 2)
    const failed = reduce(state, { type: 'failed', why: 'locked', at: noon + 9_000 })
    expect([itemsOf(failed)?.length, failed.failure]).toEqual([2, { since: noon, why: 'locked' }])
    expect(reduce(failed, { type: 'failed', why: 'still locked', at: noon + 20_000 }).failure).toEqual({
      since: noon,
      why: 'still locked',
    })
    expect(read(failed, jobs(1)).failure).toBe(null)
  })

  it('asks for one page, which grows with where the selection is, to a bound', () => {
    expect(queryOf(onJobs(1)).limit).toBeLessThanOrEqual(100)
    const at = (index: number) =>
      queryOf({ ...start({ screen: 'jobs' }), cursors: { jobs: { id: null, index } } }).limit
    expect(at(150)).toBeGreaterThan(150)
    expect(at(90_000)).toBe(300)
  })

  it('reads a detail only where it is shown', () => {
    expect(queryOf(onJobs(1)).detail).toBe(null)
    expect(queryOf(press(onJobs(1), 'open')).detail).toMatchObject({ id: 'job:1' })
    const wide = read(start({ screen: 'jobs', size: { columns: 160, rows: 40 } }), jobs(1))
    expect(queryOf(wide).detail).toMatchObject({ id: 'job:1' })
  })
})

describe('asking before a change', () => {
  const asked = () =>
    reduce(onJobs(1, 2), {
      type: 'proposed',
      id: 1,
      action: { of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys: [1] } },
    })
  const targets = [{ key: 1, type: 'mail', kind: 'waiting' }]
  const ready = () => reduce(asked(), { type: 'resolved', id: 1, targets, guarded: [] })

  it.each([['n'], ['esc'], ['q'], ['ctrl-c']])('%s leaves it as it was', (key) => {
    expect(type(ready(), key).overlay).toBe(null)
  })

  it('takes a number of retries and a reason, in which letters are letters', () => {
    const state = type(ready(), '5', 'r', 'y', 'n', 'space', 'q', 'enter')
    expect(state.overlay).toMatchObject({ amount: 5, reason: 'yn q', typing: false, status: 'ready' })
    expect(type(state, '0').overlay).toMatchObject({ amount: null })
  })

  it('takes nothing of another panel', () => {
    expect(reduce(ready(), { type: 'resolved', id: 7, targets: [], guarded: [] }).overlay).toMatchObject({
      targets,
    })
    const ended = { type: 'ended', id: 7, notice: { text: 'done', tone: 'good', at: noon } } as const
    expect(reduce(ready(), ended)).toMatchObject({ overlay: { kind: 'confirm' }, notice: { text: 'done' } })
  })

  it('closes with the news of its end, and the marks are gone', () => {
    const state = reduce(press(ready(), 'mark'), {
      type: 'ended',
      id: 1,
      notice: { text: 'done', tone: 'good', at: noon },
    })
    expect([state.overlay, state.marks.size, state.notice?.text]).toEqual([null, 0, 'done'])
    expect(reduce(state, { type: 'ticked', now: noon + 60_000 }).notice).toBe(null)
  })
})

describe('screens', () => {
  it('are turned by Tab in a circle', () => {
    expect(press(start(), 'previous-screen').screen).toBe('workers')
    expect(press(start(), 'next-screen', 'next-screen').screen).toBe('dead-letters')
  })

  it('has a help that scrolls, and goes at any other key', () => {
    expect(press(start(), 'help', 'down', 'down').overlay).toEqual({ kind: 'help', scroll: 2 })
    expect(press(start(), 'help', 'filter').overlay).toBe(null)
  })

  it('has breakers, causes and workers at once, from what every look brings', () => {
    const stripe = breaker('stripe')
    if (stripe.kind !== 'breaker') throw new Error('no breaker')
    const state = press(read(start(), [], { figures: figures({ breakers: [stripe.breaker] }) }), 'breakers')
    expect(itemsOf(state)).toHaveLength(1)
    expect(selected(press(state, 'down'))).toBe('breaker:stripe')
    expect(itemsOf(press(state, 'workers'))).toEqual([])
    expect(itemsOf(press(state, 'jobs'))).toBe(null)
  })

  it('keeps its figures when another screen is looked at', () => {
    const state = read(start(), [], { figures: figures({ location: '/x' }) })
    expect(press(state, 'jobs').figures?.location).toBe('/x')
  })
})
