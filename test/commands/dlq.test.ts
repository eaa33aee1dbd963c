import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { checkInvariantsOf } from '../../src/store/sqlite/check-invariants.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('wf dlq', () => {
  // A22
  it('retry keeps the job, its key and its history, and closes its incident', async () => {
    const { location, poisoned, detail } = await seededStore()
    const key = await poisoned()
    const end = await cli(['dlq', 'retry', String(key), '--set', 'amount=10', '--reason', 'mended'], {
      store: location,
      env: { WF_USER: 'ada' },
    })
    expect(end).toMatchObject({ code: 0, err: '' })
    const { job, incidents, deadLetter, variables, attempts, history } = await detail(key)
    expect(job).toMatchObject({ key, state: 'available', attempt: 1 })
    expect(JSON.parse(variables)).toEqual({ amount: 10 })
    expect(incidents[0]?.resolvedBy).toBe('ada')
    expect(deadLetter).toMatchObject({ closedBy: 'ada', closeReason: 'mended' })
    expect(attempts).toHaveLength(1)
    expect(history.map(({ event }) => event)).toContain('dlq_retried')
    expect((await cli(['dlq', 'retry', String(key), '--json'], { store: location })).json()).toMatchObject({
      changed: 0,
      skipped: 1,
    })
  })

  // A22
  it('discard ends the job for good, and says that it is final', async () => {
    const { location, dead, poisoned, claim, detail } = await seededStore()
    const keys = [await dead(), await poisoned()]
    const end = await cli(['dlq', 'discard', ...keys.map(String)], { store: location })
    expect(end.code).toBe(0)
    expect(end.out).toContain('2 jobs discarded for good')
    for (const key of keys) expect((await detail(key)).job.state).toBe('cancelled')
    expect(await claim()).toEqual([])
    const retry = await cli(['dlq', 'retry', String(keys[0])], { store: location })
    expect(retry.out).toContain('already closed')
  })

  it('discards many only with a selector and somebody who agrees', async () => {
    const { location, dead, poisoned, store } = await seededStore()
    await dead()
    await poisoned()
    expect((await cli(['dlq', 'discard', '--yes'], { store: location })).code).toBe(2)
    const unasked = await cli(['dlq', 'discard', '--kind', 'exhausted'], { store: location })
    expect(unasked).toMatchObject({ code: 2, out: '' })
    expect(
      (await cli(['dlq', 'discard', '--kind', 'exhausted', '--yes', '--json'], { store: location })).json(),
    ).toMatchObject({
      matched: 1,
      changed: 1,
    })
    expect((await store.deadLetters({}, { limit: 10 })).items.map(({ reason }) => reason)).toEqual(['poison'])
  })

  it('lists and shows what was set aside, with what can be done next', async () => {
    const { location, dead, poisoned, add } = await seededStore()
    const exhausted = await dead()
    const poison = await poisoned({ amount: -1, password: 'geheim' })
    const { items } = (await cli(['dlq', 'list', '--json'], { store: location })).json<{ items: object[] }>()
    expect(items).toMatchObject([
      { key: poison, reason: 'poison' },
      { key: exhausted, reason: 'exhausted' },
    ])
    const shown = await cli(['dlq', 'show', String(poison)], { store: location })
    expect(shown.out).toContain('cannot work')
    expect(shown.out).not.toContain('geheim')
    expect(shown.out).toContain(`wf dlq retry ${poison} --set PATH=VALUE`)
    expect((await cli(['dlq', 'show', String(await add())], { store: location })).code).toBe(4)
    expect((await cli(['dlq', 'show', `${poison}0`], { store: location })).err).toContain(
      'wf dlq list --closed shows them all',
    )
  })

  it('purge deletes closed letters, passes open ones by, and says before that it is final', async () => {
    const { location, dead, poisoned, detail, store } = await seededStore()
    const [open, retried] = [await dead(), await poisoned()]
    await cli(['dlq', 'retry', String(retried)], { store: location })
    const wf = (...args: readonly string[]) => cli(['dlq', 'purge', ...args], { store: location })
    expect((await wf('--yes')).code).toBe(2)
    expect(await wf('--since', '1d')).toMatchObject({ code: 2, out: '' })
    const dry = await wf('--since', '1d', '--dry-run')
    expect(dry.out).toContain('1 dead letter would be deleted for good')
    expect(dry.err).toContain('1 open dead letter passed by')
    const end = await wf('--since', '1d', '--yes', '--reason', 'tidy')
    expect(end).toMatchObject({ code: 0 })
    expect(end.out).toContain('matched 1 = 1 changed + 0 skipped + 0 failed')
    expect(end.err).toContain('this cannot be undone: purged dead letters are gone')
    const { items } = await store.deadLetters({ includeClosed: true }, { limit: 10 })
    expect(items.map(({ jobKey }) => jobKey)).toEqual([open])
    const { job, history } = await detail(retried)
    expect(job.state).toBe('available')
    expect(history.at(-1)).toMatchObject({ event: 'dead_letter_purged', reason: 'tidy' })
    expect((await store.operations({ verbs: ['purge'] }, { limit: 1 })).items[0]).toMatchObject({
      matched: 1,
      changed: 1,
      reason: 'tidy',
    })
  })

  it('purge takes open letters only when told, and then their jobs never run again', async () => {
    const { location, dead, poisoned, claim, detail } = await seededStore()
    const keys = [await dead(), await poisoned()]
    const wf = (...args: readonly string[]) => cli(['dlq', 'purge', ...args, '--json'], { store: location })
    expect((await wf(String(keys[0]))).json()).toMatchObject({ matched: 1, changed: 0, skipped: 1 })
    const foretold = (await wf(...keys.map(String), '4711', '--open', '--dry-run')).json<{
      items: { status: string; from: string | null; to: string | null }[]
    }>()
    expect(foretold.items.map(({ status, from, to }) => [status, from, to])).toEqual([
      ['changed', 'dead', 'cancelled'],
      ['changed', 'failed', 'cancelled'],
      ['not_found', null, null],
    ])
    expect((await wf(...keys.map(String), '--open')).json()).toMatchObject({
      matched: 2,
      changed: 2,
      undo: null,
    })
    for (const key of keys) {
      const { job, deadLetter, incidents } = await detail(key)
      expect([job.state, deadLetter, incidents.filter(({ resolvedAt }) => resolvedAt === null)]).toEqual([
        'cancelled',
        null,
        [],
      ])
    }
    expect(await claim()).toEqual([])
    expect((await wf(String(keys[0]))).code).toBe(4)
    expect(checkInvariantsOf(location)).toEqual([])
  })

  it('export prints a letter a line with its variables and its error, those that a selector means', async () => {
    const { location, dead, poisoned } = await seededStore()
    const exhausted = await dead()
    const poison = await poisoned({ amount: -1, password: 'geheim' })
    const wf = (...args: readonly string[]) => cli(['dlq', 'export', ...args], { store: location })
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    const all = await wf()
    expect(all.err).toBe('')
    expect(lines(all.out).map(({ key }) => key)).toEqual([poison, exhausted])
    expect(lines(all.out)[0]).toMatchObject({
      variables: { amount: -1, password: '***' },
      error: { message: expect.stringContaining('cannot work') },
    })
    expect(lines((await wf('--kind', 'exhausted')).out).map(({ key }) => key)).toEqual([exhausted])
    expect(lines((await wf('--sort', 'oldest', '--limit', '1')).out).map(({ key }) => key)).toEqual([
      exhausted,
    ])
    const none = await wf('--type', 'nobody')
    expect(none).toMatchObject({ code: 0, out: '' })
    expect(none.err).toContain('nothing matched')
  })
})
