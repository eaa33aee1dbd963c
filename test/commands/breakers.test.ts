import { declareTypes, reportBreakers, retireWorkers, setBreaker } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { NamedBreaker } from '../../src/domain/breaker-row.ts'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

async function scene() {
  const { location, store, add, join } = await seededStore()
  const declared = {
    type: 'mail',
    timeoutMs: 1,
    concurrency: 1,
    retries: 1,
    backlogLimit: null,
    onExhausted: 'incident' as const,
  }
  await declareTypes(store, [{ ...declared, breakers: ['stripe'] }], store.now())
  const wf = (...args: readonly string[]) =>
    cli(['breakers', ...args], { store: location, env: { WF_USER: 'ada' } })
  return { store, wf, add, join }
}

describe('wf breakers', () => {
  // A26
  it('trip opens one for as long as said, and records who and why', async () => {
    const { store, wf } = await scene()
    const end = await wf('trip', 'stripe', '--for', '10m', '--reason', 'they asked us to')
    expect(end).toMatchObject({ code: 0, err: '' })
    expect(end.out).toMatch(/^opened stripe {2}until \S+, in (9|10)m/)
    const row = await store.breaker('stripe')
    expect(row).toMatchObject({ mode: 'open', by: 'operator', who: 'ada', reason: 'they asked us to' })
    expect((row?.expiresAt ?? 0) - (row?.changedAt ?? 0)).toBe(600_000)

    const list = await wf('list')
    expect(list.out).toMatch(
      /^BREAKER +STATE +SINCE +CALLS IN +HELD +BY +REASON +TYPES\nstripe +open +(now|\d+[sm] ago) +(9|10)m +0 +ada +they asked us to +mail\n$/,
    )
    expect((await wf('list', '--ids')).out).toBe('stripe\n')
    const json = (await wf('list', '--json')).json<{
      items: { name: string; openUntil: string; types: string[] }[]
    }>()
    expect(json.items).toMatchObject([
      {
        name: 'stripe',
        mode: 'open',
        openUntil: new Date(row?.expiresAt ?? 0).toISOString(),
        types: ['mail'],
      },
    ])
  })

  // A26
  it('close closes it, is skipped where it is closed, and show tells the whole story', async () => {
    const { wf } = await scene()
    await wf('trip', 'stripe', '--for', '1h', '--reason', 'they asked us to')
    const closed = await wf('close', 'stripe', '--reason', 'their status page is green')
    expect(closed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^closed stripe\noperation \d+ · wf undo \d+ --store /),
    })
    const again = await wf('close', 'stripe', '--json')
    expect(again.json()).toMatchObject({
      matched: 1,
      changed: 0,
      skipped: 1,
      failed: 0,
      items: [{ name: 'stripe', status: 'skipped', mode: 'closed' }],
    })
    const shown = await wf('show', 'stripe')
    expect(shown.out).toContain('breaker stripe  closed')
    expect(shown.out).toMatch(
      /\nopenings\n +OPENED +OPEN FOR +PERIODS +WHY +BY\n +\S.* 1 +they asked us to +ada\n/,
    )
    expect(shown.out).toMatch(/\nnext\n +wf breakers history stripe --store \S+ +each opening/)
    expect(shown.out).toContain('opens for  30s, then lets 1 call at a time through')
    expect(shown.out).toMatch(
      /closed by ada: their status page is green\n.*opened by ada: they asked us to {2}for 1h\n/,
    )
    const { history } = (await wf('show', 'stripe', '--history', '1', '--json')).json<{
      history: { event: string; who: string }[]
    }>()
    expect(history).toMatchObject([
      { event: 'breaker_closed', who: 'ada', detail: { breaker: 'stripe', from: 'open' } },
    ])
  })

  // A26
  it('history tells what opened and closed it: when, from what to what, why, and by whom', async () => {
    const { store, wf } = await scene()
    await wf('trip', 'stripe', '--for', '1h', '--reason', 'they asked us to')
    await wf('close', 'stripe', '--reason', 'their status page is green')
    const past = store.now() - 7_200_000
    const broken: NamedBreaker = {
      ...{
        mode: 'open',
        generation: 9,
        by: 'calls',
        changedAt: past,
        expiresAt: past + 30_000,
        probes: [],
        terms: { openForMs: 30_000, probes: 1 },
      },
      ...{ name: 'stripe', who: 'host.1#a', reason: '5 failures in a row' },
      counts: {
        requests: 5,
        successes: 0,
        failures: 5,
        exclusions: 0,
        consecutiveSuccesses: 0,
        consecutiveFailures: 5,
      },
    }
    await setBreaker(store, broken, past)

    const told = await wf('history', 'stripe')
    expect(told).toMatchObject({ code: 0, err: '' })
    expect(told.out).toMatch(
      /^WHEN +AT +FROM +TO +FOR +GENERATION +BY +WHY\n2h ago +\S+Z +closed +open +30s +9 +host\.1#a +5 failures in a row\n/,
    )
    const json = (await wf('history', 'stripe', '--json')).json<{ items: object[]; page: object }>()
    expect(json).toMatchObject({
      items: [
        {
          at: new Date(past).toISOString(),
          from: 'closed',
          to: 'open',
          generation: 9,
          by: 'calls',
          who: 'host.1#a',
          reason: '5 failures in a row',
        },
        {
          from: 'open',
          to: 'closed',
          generation: 2,
          by: 'operator',
          who: 'ada',
          reason: 'their status page is green',
          openUntil: null,
        },
        { from: 'closed', to: 'open', generation: 1, by: 'operator', who: 'ada', reason: 'they asked us to' },
      ],
      page: { next: null },
    })
    const lately = await wf('history', 'stripe', '--since', '1h', '--json')
    expect(lately.json<{ items: { who: string }[] }>().items.map(({ who }) => who)).toEqual(['ada', 'ada'])
    const since = await wf('history', 'stripe', '--since', new Date(past - 1).toISOString(), '--limit', '2')
    expect(since.out.trimEnd().split('\n')).toHaveLength(3)
    expect(since.err).toBe('older changes exist: raise --limit\n')
  })

  it('history finds no unknown breaker, and says where it looked when nothing changed since then', async () => {
    const { wf } = await scene()
    await wf('trip', 'stripe', '--for', '1h')
    expect((await wf('history', 'strippe')).err).toContain('did you mean stripe?')
    const nothing = await wf('history', 'stripe', '--since', '2100-01-01T00:00:00Z')
    expect([nothing.code, nothing.out]).toEqual([0, ''])
    expect(nothing.err).toContain('no changes of that breaker since then in /')
  })

  it('opens one that no worker has declared, saying so, and finds no unknown one to show or close', async () => {
    const { wf } = await scene()
    const typo = await wf('trip', 'strip', '--for', '1m')
    expect(typo.code).toBe(0)
    expect(typo.err).toBe('no worker declares a dependency strip; known: stripe\n')
    for (const verb of ['show', 'close']) {
      const unknown = await wf(verb, 'strippe')
      expect(unknown.code).toBe(4)
      expect(unknown.err).toContain('did you mean stripe?')
    }
  })

  it('trip needs to be told for how long, and takes no nonsense', async () => {
    const { store, wf } = await scene()
    for (const args of [
      ['stripe'],
      ['stripe', '--for', '10'],
      ['stripe', '--for', '0s'],
      ['stripe', '--for', '31d'],
      ['', '--for', '1m'],
    ]) {
      expect([args, (await wf('trip', ...args)).code]).toEqual([args, 2])
    }
    expect(await store.breakers()).toEqual([])
  })

  it('list says where it looked when none was ever opened', async () => {
    const { wf } = await scene()
    expect((await wf('list')).err).toContain('no breakers that were ever opened in /')
  })

  // B044
  it("list shows the shared one and each living worker's own, with their age and the jobs that they hold", async () => {
    const { store, wf, add, join } = await scene()
    for (let job = 0; job < 3; job++) await add({ type: 'mail' })
    await wf('trip', 'stripe', '--for', '10m', '--reason', 'r')
    await retireWorkers(store, ['w#1'], store.now())
    await join('old#1', { leaseMs: -1 })
    for (const id of ['web#1', 'web#2']) await join(id, { leaseMs: 600_000, types: ['mail'] })
    const own = {
      name: 'bank',
      mode: 'open',
      generation: 2,
      changedAt: store.now() - 120_000,
      expiresAt: store.now() + 300_000,
      types: ['mail'],
    } as const
    for (const id of ['old#1', 'web#1']) await reportBreakers(store, id, [own])
    await reportBreakers(store, 'web#2', [{ ...own, mode: 'closed', expiresAt: null }])
    const list = await wf('list')
    expect(list.out).toMatch(/^BREAKER +STATE +WORKER +SINCE +CALLS IN +HELD /)
    expect(list.out).toMatch(/\nstripe +open +all +\S.* 3 +ada/)
    expect(list.out, 'web#2 starts them all the same').toMatch(/\nbank +open +web#1 +2m ago +4m +\? /)
    expect(list.out).toMatch(/\nbank +closed +web#2 +2m ago /)
    expect(list.out).not.toContain('old#1')
    await reportBreakers(store, 'web#2', [own])
    const { items } = (await wf('list', '--json')).json<{ items: object[] }>()
    expect(items).toMatchObject([
      { name: 'stripe', worker: null, held: 3 },
      {
        name: 'bank',
        worker: 'web#1',
        mode: 'open',
        held: 3,
        changedAt: new Date(own.changedAt).toISOString(),
      },
      { name: 'bank', worker: 'web#2', mode: 'open', held: 3 },
    ])
  })

  // B044
  it('a breaker that a killed worker opened stays what it is, with who opened it, and a probe of a killed worker frees its place', async () => {
    const { store, wf } = await scene()
    const now = store.now()
    const terms = { openForMs: 600_000, probes: 1 }
    const counts = {
      requests: 1,
      successes: 0,
      failures: 0,
      exclusions: 0,
      consecutiveSuccesses: 0,
      consecutiveFailures: 0,
    }
    const half = (expiresAt: number): NamedBreaker => ({
      ...{
        mode: 'half_open',
        generation: 3,
        by: 'calls',
        changedAt: now - 60_000,
        expiresAt: null,
        counts,
        terms,
      },
      probes: [{ permit: 1, holder: 'gone#1', expiresAt }],
      ...{ name: 'stripe', who: 'gone#1', reason: '5 failures in a row' },
    })
    await setBreaker(store, half(now + 590_000), now)
    const shown = await wf('show', 'stripe')
    expect(shown.out).toMatch(/breaker stripe {2}half-open\n/)
    expect(shown.out).toMatch(/by +gone#1/)
    expect(shown.out).toMatch(/1 {2}gone#1 {2}free again in (?:\d|10)m/)
    await setBreaker(store, half(now - 1), now)
    expect((await wf('list')).out).toMatch(/stripe +half-open +\S+ ago +now /)
  })
})
