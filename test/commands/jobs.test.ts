import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'
import { outcomes } from '../support/test-engine.ts'

describe('wf jobs retry', () => {
  it('does not mean what is over by a selector that names no state, and refuses it where it is named', async () => {
    const { location, waiting, completed, rejected } = await seededStore()
    const key = await waiting()
    await completed()
    await rejected()
    const wide = ['jobs', 'retry', '--type', 'mail', '--limit', '1', '--yes', '--json']
    const dry = await cli([...wide, '--dry-run'], { store: location })
    expect([dry.code, dry.json()]).toEqual([
      0,
      expect.objectContaining({ matched: 1, changed: 1, skipped: 0, failed: 0 }),
    ])
    expect((await cli(['jobs', 'retry', '--type', 'mail'], { store: location })).err).toContain(
      '1 job (1 waiting of mail) would be due now',
    )
    expect((await cli(wide, { store: location })).json()).toMatchObject({ changed: 1, items: [{ key }] })
    expect((await cli(['jobs', 'cancel', '--state', 'completed', '--yes'], { store: location })).code).toBe(5)
  })

  // A23
  it('refuses a running and a completed job with the reason, and changes nothing', async () => {
    const { location, running, completed, detail } = await seededStore()
    const done = await completed()
    const busy = await running()
    const before = [await detail(busy), await detail(done)]
    const tried = await Promise.all(
      [busy, done].map((key) => cli(['jobs', 'retry', String(key)], { store: location })),
    )
    expect(tried.map(({ code }) => code)).toEqual([5, 5])
    expect(tried[0]?.err).toContain('running')
    expect(tried[1]?.err).toContain('completed')
    expect([await detail(busy), await detail(done)]).toEqual(before)
    const { error } = (await cli(['jobs', 'retry', String(done), '--json'], { store: location })).json<{
      error: { code: string }
    }>()
    expect(error.code).toBe('conflict')
  })

  it('takes failed, dead and waiting jobs back to work and skips what is available', async () => {
    const { location, raised, dead, waiting, add, detail } = await seededStore()
    const keys = [(await raised())[0] ?? 0, await dead(), await waiting(), await add()]
    const sum = (await cli(['jobs', 'retry', ...keys.map(String), '--json'], { store: location })).json()
    expect(sum).toMatchObject({ matched: 4, changed: 3, skipped: 1, failed: 0 })
    for (const key of keys) expect((await detail(key)).job.state).toBe('available')
  })

  // A20
  it('passes by with a selector what repeats its damage, names it, and takes it by its key or kind', async () => {
    const { location, raised, resultInvalid, poisoned, detail } = await seededStore()
    const [plain = 0] = await raised()
    const [charged, poison] = [await resultInvalid(), await poisoned()]
    const wide = ['jobs', 'retry', '--type', 'mail', '--state', 'failed', '--json']
    const dry = (await cli([...wide, '--dry-run'], { store: location })).json()
    const sum = (await cli([...wide, '--yes'], { store: location })).json<{
      items: { key: number; why: string }[]
    }>()
    for (const each of [dry, sum])
      expect(each).toMatchObject({ matched: 3, changed: 1, skipped: 2, failed: 0 })
    expect(sum.items.find(({ key }) => key === charged)?.why).toContain(
      'result_invalid: its effect has happened',
    )
    const states = async () =>
      Promise.all([plain, charged, poison].map(async (key) => (await detail(key)).job.state))
    expect(await states()).toEqual(['available', 'failed', 'failed'])
    expect((await cli(['jobs', 'retry', String(charged)], { store: location })).code).toBe(0)
    expect(await states()).toEqual(['available', 'available', 'failed'])
    expect(
      (await cli([...wide, '--kind', 'poison_message', '--yes'], { store: location })).json(),
    ).toMatchObject({ matched: 1, changed: 1 })
  })

  it('means no job by saying nothing, and asks before a selector where it can', async () => {
    const { location, waiting, store } = await seededStore()
    await waiting()
    const nothing = await cli(['jobs', 'retry'], { store: location })
    expect(nothing).toMatchObject({ code: 2, out: '' })
    const wide = ['jobs', 'retry', '--state', 'waiting']
    const unasked = await cli(wide, { store: location })
    expect(unasked.code).toBe(2)
    expect(unasked.err).toContain('--yes')
    const dry = (await cli([...wide, '--dry-run', '--json'], { store: location })).json()
    expect(dry).toMatchObject({
      dryRun: true,
      changed: 1,
      items: [{ status: 'changed', from: 'waiting', to: 'available' }],
    })
    expect((await store.counts()).waiting).toBe(1)
    expect((await cli([...wide, '--yes', '--json'], { store: location })).json()).toMatchObject({
      changed: 1,
    })
    expect((await store.counts()).waiting ?? 0).toBe(0)
  })
})

describe('wf jobs cancel', () => {
  // A24
  it('takes a running job from its worker, whose late report is stale', async () => {
    const { location, add, claim, settle, detail } = await seededStore()
    const key = await add()
    const [job] = await claim()
    const end = await cli(['jobs', 'cancel', String(key), '--reason', 'ordered twice', '--json'], {
      store: location,
      env: { WF_USER: 'ada' },
    })
    expect(end.code).toBe(0)
    expect(end.json()).toMatchObject({ changed: 1, items: [{ key, from: 'running', to: 'cancelled' }] })
    expect(job && (await settle(job, outcomes.success()))).toBe('stale')
    const shown = (await cli(['jobs', 'show', String(key), '--json'], { store: location })).json()
    expect(shown).toMatchObject({ state: 'cancelled', attempts: [{ outcome: 'stale' }], next: [] })
    expect((await detail(key)).history).toContainEqual(
      expect.objectContaining({ event: 'cancelled', who: 'ada', reason: 'ordered twice' }),
    )
    const again = await cli(['jobs', 'cancel', String(key)], { store: location })
    expect(again.code).toBe(0)
    expect(again.out).toContain('skipped')
  })

  // B106
  it.each(['9007199254740993', '0', '-1', '1.0', '01', 'abc', '', '1e3'])(
    'refuses %j as a key instead of hitting another job',
    async (key) => {
      const { location, add, detail } = await seededStore()
      const first = await add()
      const end = await cli(['jobs', 'cancel', '--', key], { store: location })
      expect(end.code).toBe(2)
      expect((await detail(first)).job.state).toBe('available')
    },
  )
})

describe('wf jobs list', () => {
  it('shows the newest first, pages, and gives each job once', async () => {
    const { location, engine } = await seededStore()
    await engine.enqueue(Array.from({ length: 5 }, (_, index) => ({ type: index % 2 ? 'odd' : 'even' })))
    const page = async (...args: readonly string[]) =>
      (await cli(['jobs', 'list', '--limit', '2', '--json', ...args], { store: location })).json<{
        items: { key: number }[]
        page: { next: string | null }
      }>()
    const first = await page()
    const second = await page('--cursor', first.page.next ?? '')
    const third = await page('--cursor', second.page.next ?? '')
    expect([first, second, third].flatMap(({ items }) => items.map(({ key }) => key))).toEqual([
      5, 4, 3, 2, 1,
    ])
    expect(third.page.next).toBeNull()
    expect((await cli(['jobs', 'list', '--type', 'odd', '--ids'], { store: location })).out).toBe('4\n2\n')
    expect((await cli(['jobs', 'list', '--limit', '2'], { store: location })).err).toContain('--cursor')
  })

  it('says which of the named keys nothing has, and is an error when nothing has any', async () => {
    const { location, raised, add } = await seededStore()
    const [key = 0] = await raised()
    const other = await add()
    const some = await cli(['jobs', 'list', String(key), String(other), '999', '--limit', '1'], {
      store: location,
    })
    expect([some.code, some.err]).toEqual([0, expect.stringContaining('not there: 999')])
    expect(
      (await cli(['jobs', 'list', String(key), '999', '--json'], { store: location })).json(),
    ).toMatchObject({
      items: [{ key }],
      missing: [999],
    })
    expect(
      (await cli(['jobs', 'list', String(key), '--state', 'running'], { store: location })).err,
    ).not.toContain('not there')
    for (const [noun, what] of [
      ['jobs', 'job 998, 999'],
      ['incidents', 'open incident of job 998, 999'],
      ['dlq', 'open dead letter of job 998, 999'],
    ] as const) {
      const none = await cli([noun, 'list', '998', '999'], { store: location })
      expect([noun, none.code, none.out]).toEqual([noun, 4, ''])
      expect(none.err).toContain(`there is no ${what} in ${location}`)
    }
    const incidents = await cli(['incidents', 'list', String(key), String(other)], { store: location })
    expect([incidents.code, incidents.err]).toEqual([0, expect.stringContaining(`not there: ${other}`)])
  })

  it('names the absolute store in an empty answer', async () => {
    const { location } = await seededStore()
    const end = await cli(['jobs', 'list', '--state', 'dead'], { store: location })
    expect(end).toMatchObject({ code: 0, out: '', err: `no such jobs in ${location} for --state dead\n` })
  })

  // B068
  it('shows jobs of a type without a worker as held, untouched', async () => {
    const { location, add, detail } = await seededStore()
    const key = await add({ type: 'emial' })
    const end = await cli(['jobs', 'list'], { store: location })
    expect(end.out).toContain('no worker')
    const { items } = (await cli(['types', 'list', '--json'], { store: location })).json<{
      items: object[]
    }>()
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'emial',
        held: { by: 'no_worker', why: 'no worker for type emial is running' },
      }),
    )
    expect((await detail(key)).job).toMatchObject({ state: 'available', retries: 3, attempt: 0 })
  })
})

describe('wf jobs show', () => {
  it('tells everything about a job and what can be done next', async () => {
    const { location, raised, waiting } = await seededStore()
    const [key = 0] = await raised(1, 'ledger and gateway disagree')
    const failed = await cli(['jobs', 'show', String(key)], { store: location })
    for (const words of [
      'failed',
      'ada@example.org',
      'ledger and gateway disagree',
      'raised',
      `wf incidents resolve ${key}`,
      `wf jobs cancel ${key}`,
    ]) {
      expect(failed.out).toContain(words)
    }
    const later = await cli(['jobs', 'show', String(await waiting())], { store: location })
    expect(later.out).toContain('waiting: backoff')
    expect(later.out).toContain('try again')
    expect((await cli(['jobs', 'show', '4711'], { store: location })).code).toBe(4)
  })

  it('cuts long variables unless it is told to show all', async () => {
    const { location, add } = await seededStore()
    const key = await add({
      variables: { lines: Array.from({ length: 5_000 }, (_, index) => `line ${index}`) },
    })
    const cut = await cli(['jobs', 'show', String(key)], { store: location })
    expect(cut.out.split('\n').length).toBeLessThan(80)
    expect(cut.out).toContain('--full')
    expect((await cli(['jobs', 'show', String(key), '--full'], { store: location })).out).toContain(
      'line 4999',
    )
  })
})
