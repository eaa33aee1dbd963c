import { declareTypes } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('wf types pause and resume', () => {
  it('refuses a name that nobody has used, names the one that was meant, and changes none of several', async () => {
    const { location, add, store } = await seededStore()
    await add({ type: 'charge-payment' })
    for (const verb of ['pause', 'resume']) {
      const end = await cli(['types', verb, 'charge-payment', 'chrage-payment'], { store: location })
      expect([verb, end.code, end.out]).toEqual([verb, 4, ''])
      expect(end.err).toContain('there is no type "chrage-payment"')
      expect(end.err).toContain('did you mean charge-payment?')
    }
    expect(await store.pausedTypes(store.now())).toEqual([])
    const { error } = (await cli(['types', 'pause', 'nobody-knows', '--json'], { store: location })).json<{
      error: { code: string; hint: string }
    }>()
    expect(error).toMatchObject({ code: 'not_found', hint: '--force pauses it before its first job' })
  })

  it('pauses it all the same with --force, and then knows it', async () => {
    const { location, store } = await seededStore()
    expect(
      (
        await cli(['types', 'pause', 'soon', '--force', '--reason', 'not yet'], {
          store: location,
          env: { WF_USER: 'ada' },
        })
      ).code,
    ).toBe(0)
    expect(await store.pausedTypes(store.now())).toMatchObject([
      { type: 'soon', by: 'ada', reason: 'not yet' },
    ])
    expect((await cli(['types', 'resume', 'soon'], { store: location })).code).toBe(0)
    expect(await store.pausedTypes(store.now())).toEqual([])
  })

  it('knows types that workers declared, and those of which all jobs are finished', async () => {
    const { location, completed, store } = await seededStore()
    await completed()
    const declared = {
      type: 'declared',
      timeoutMs: 1,
      concurrency: 1,
      retries: 1,
      backlogLimit: null,
      onExhausted: 'incident',
    } as const
    await declareTypes(store, [declared], store.now())
    const end = await cli(['types', 'pause', 'mail', 'declared', '--json'], { store: location })
    expect(end.json()).toMatchObject({ matched: 2, changed: 2 })
    const again = await cli(['types', 'pause', 'mail', '--json'], { store: location })
    expect([again.code, again.json()]).toEqual([
      0,
      expect.objectContaining({ matched: 1, changed: 0, skipped: 1 }),
    ])
  })

  it('takes types from standard input, as the list prints them, and keeps why they were resumed', async () => {
    const { location, add, store } = await seededStore()
    await add({ type: 'a type' })
    await add({ type: 'b' })
    const listed = await cli(['types', 'list', '--ids'], { store: location })
    const paused = await cli(['types', 'pause', '-', '--json'], { store: location, input: listed.out })
    expect(paused.json()).toMatchObject({ matched: 2, changed: 2 })
    const resumed = await cli(['types', 'resume', '-', '--reason', 'mended'], {
      store: location,
      input: 'a type\r\n\n',
      env: { WF_USER: 'ada' },
    })
    expect(resumed).toMatchObject({ code: 0, err: '' })
    expect((await store.pausedTypes(store.now())).map(({ type }) => type)).toEqual(['b'])
    const [last] = await store.history(10)
    expect(last).toMatchObject({ event: 'type_resumed', who: 'ada', reason: 'mended' })
    const none = await cli(['types', 'pause', '-', '--json'], { store: location, input: '' })
    expect([none.code, none.json()]).toEqual([
      0,
      { matched: 0, changed: 0, skipped: 0, failed: 0, items: [], operation: null, undo: null },
    ])
  })

  // B119
  it('pauses until a time, says so everywhere, and is over then without anybody doing anything', async () => {
    const { location, add, store } = await seededStore()
    const key = await add({ type: 'mail' })
    const wf = (...args: readonly string[]) => cli(args, { store: location, env: { WF_USER: 'ada' } })
    const paused = await wf('types', 'pause', 'mail', '--until', '2h', '--reason', 'their maintenance')
    expect(paused).toMatchObject({ code: 0, err: '' })
    expect(paused.out).toMatch(/^paused mail {2}until \S+Z, in (1h|2h)\noperation 1 · wf undo 1 /)
    const [pause] = await store.pausedTypes(store.now())
    expect(pause?.untilAt).toBeGreaterThan(store.now() + 7_000_000)
    expect((await wf('types', 'list')).out).toMatch(/paused by ada for (?:1h|2h) more: their maintenance/)
    const [listed] = (await wf('types', 'list', '--json')).json<{ items: { pausedUntil: string }[] }>().items
    expect(listed?.pausedUntil).toBe(new Date(pause?.untilAt ?? 0).toISOString())
    expect((await wf('jobs', 'show', String(key))).out).toMatch(
      /mail is paused by ada for another (2h|1h ?59m.*): their maintenance/,
    )

    const at = new Date(store.now() + 600_000)
    expect((await wf('types', 'pause', 'mail', '--until', at.toISOString())).out).toContain('paused mail')
    expect((await wf('types', 'pause', 'mail', '--until', at.toISOString())).out).toContain('skipped mail')
    expect(await store.pausedTypes(at.getTime())).toEqual([])
    expect((await store.types(at.getTime()))[0]).toMatchObject({ pausedAt: null, pausedUntil: null })
  })

  it.each(['', 'soon', '-5m', '0s', '2001-01-01T00:00:00Z', '2030-01-01'])(
    'refuses to pause until %j, and pauses nothing',
    async (until) => {
      const { location, add, store } = await seededStore()
      await add({ type: 'mail' })
      const end = await cli(['types', 'pause', 'mail', '--until', until], { store: location })
      expect([end.code, end.out]).toEqual([2, ''])
      expect(end.err).toContain('--until')
      expect(await store.pausedTypes(0)).toEqual([])
    },
  )
})
