import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

const minute = 60_000

async function counted() {
  const made = await seededStore()
  const { store } = made
  const now = store.now()
  const add = (type: string, outcome: string, count: number, bucket = 7) =>
    store.addStats(
      [{ minute: now - (now % minute), type, outcome, bucket, count, sumMs: count }],
      [{ metric: 'wf_worker_panics_total', labels: '{"type":"mail"}', value: 2 }],
      [],
      now,
    )
  await add('mail', 'success', 60)
  await add('mail', 'fail', 3)
  await add('charge', 'success', 5)
  const wf = (...args: readonly string[]) => cli(args, { store: made.location })
  return { ...made, wf }
}

describe('wf stats', () => {
  it('shows by type what came through and what did not, with what retries and what is held now', async () => {
    const { wf, waiting, raised, dead } = await counted()
    await waiting()
    await raised(2)
    await dead()
    const { items, minutes } = (await wf('stats', '--window', '15m', '--json')).json<{
      items: object[]
      minutes: number
    }>()
    expect(minutes).toBeGreaterThanOrEqual(15)
    expect(items).toMatchObject([
      {
        type: 'mail',
        completed: 60,
        failed: 3,
        retrying: 1,
        held: 0,
        incidents: 2,
        deadLetters: 1,
        p50Ms: expect.any(Number),
      },
      { type: 'charge', completed: 5, failed: 0, retrying: 0, held: 0, incidents: 0, deadLetters: 0 },
    ])
    await wf('types', 'pause', 'mail')
    const words = await wf('stats')
    expect(words.out).toMatch(
      /^TYPE +DONE +FAILED +RETRYING +HELD +INCIDENTS +DEAD +P50 +P95 +\/MIN\nmail +60 +3 +1 +1 +2 +1 /,
    )
    expect(words.code).toBe(0)
  })

  it('shows them by outcome and by minute, of some types only', async () => {
    const { wf } = await counted()
    const items = async (...args: readonly string[]) =>
      (await wf('stats', ...args, '--json')).json<{ items: Record<string, unknown>[] }>().items
    expect((await items('--by', 'outcome')).map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['success', 65],
      ['fail', 3],
    ])
    expect(await items('--by', 'minute', '--type', 'charge')).toMatchObject([
      { minute: expect.stringMatching(/:00\.000Z$/), completed: 5 },
    ])
    const nothing = await wf('stats', '--type', 'nobody')
    expect(nothing).toMatchObject({ code: 0, out: '' })
    expect(nothing.err).toContain('nothing happened in the last 1h')
  })
})

describe('wf metrics', () => {
  it('prints the page of the whole store, without a worker', async () => {
    const { wf, raised } = await counted()
    await raised(2)
    const { code, out } = await wf('metrics')
    expect(code).toBe(0)
    expect(out).toContain('# TYPE wf_worker_panics_total counter\nwf_worker_panics_total{type="mail"} 6\n')
    expect(out).toContain('wf_open_incidents{type="mail"} 2\n')
    expect((await wf('metrics', '--json')).json()).toMatchObject({
      contentType: expect.stringContaining('0.0.4'),
      text: expect.stringContaining('wf_open_incidents'),
    })
  })
})
