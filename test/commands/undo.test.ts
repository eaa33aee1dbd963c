import { describe, expect, it } from 'vitest'
import { cli, startCli } from '../support/cli.ts'
import { eventually } from '../support/processes.ts'
import { seededStore, type SeededStore } from '../support/seeded-store.ts'

interface Done {
  matched: number
  changed: number
  skipped: number
  failed: number
  left: number
  operation: number | null
  undo: string | null
  error?: { code: string; message: string; hint: string }
}

interface Audit {
  items: readonly {
    id: number
    verb: string
    who: string
    selector: string
    reason: string | null
    matched: number
    changed: number
    skipped: number
    left: number
    state: string
    undoneBy: number | null
    undo: string | null
    flags: Record<string, unknown>
  }[]
}

const wf = ({ location }: SeededStore, ...args: readonly string[]) =>
  cli(args, { store: location, env: { WF_USER: 'ada@box' } })
const json = async <T = Done>(store: SeededStore, ...args: readonly string[]) =>
  (await wf(store, ...args, '--json')).json<T>()
const audit = async (store: SeededStore, ...args: readonly string[]) =>
  (await json<Audit>(store, 'audit', 'list', ...args)).items

describe('a change', () => {
  // A20
  it('tells its operation and how to take it back, in words and in the document', async () => {
    const store = await seededStore()
    const [key = 0, other = 0] = await store.raised(2)
    const words = await wf(store, 'incidents', 'resolve', String(key))
    expect(words.out.trim().split('\n').at(-1)).toBe(`operation 1 · wf undo 1 --store ${store.location}`)
    expect(await json(store, 'incidents', 'resolve', String(other))).toMatchObject({
      operation: 2,
      undo: `wf undo 2 --store ${store.location}`,
    })
    expect(await json(store, 'incidents', 'resolve', String(other), '--dry-run')).toMatchObject({
      operation: null,
      undo: null,
    })
    expect(await json(store, 'incidents', 'resolve', String(other))).toMatchObject({
      changed: 0,
      operation: 3,
      undo: null,
    })
  })

  // B156
  it('leaves one row with who, when, what was meant, why, and how many of each', async () => {
    const store = await seededStore()
    await store.raised(3)
    await store.poisoned()
    await wf(
      store,
      'incidents',
      'resolve',
      '--type',
      'mail',
      '--retries',
      '3',
      '--set',
      'to=bob',
      '--add',
      '--reason',
      'gateway is back',
    )
    const [row] = await audit(store)
    expect(row).toMatchObject({
      ...{
        verb: 'resolve',
        who: 'ada@box',
        selector: '--type mail',
        reason: 'gateway is back',
        state: 'done',
      },
      ...{ matched: 4, changed: 3, skipped: 1, left: 0, undo: `wf undo 1 --store ${store.location}` },
      flags: { retries: 3, set: [{ path: 'to', value: 'bob' }] },
    })
    const shown = await json<{
      targets: {
        items: readonly {
          key: number
          status: string
          before: { state: string; variables: object } | null
          why: string
        }[]
      }
    }>(store, ...['audit', 'show', '1'])
    const { items } = shown.targets
    expect(items.map(({ status }) => status)).toEqual(['changed', 'changed', 'changed', 'skipped'])
    expect(items[0]?.before).toMatchObject({
      state: 'failed',
      variables: { to: 'ada@example.org', amount: 1 },
    })
    expect(items[3]?.why).toContain('poison_message')
    const words = await wf(store, 'audit', 'show', '1')
    expect(words.out).toContain('matched 4 = 3 changed + 1 skipped + 0 failed')
    expect(words.out).toContain('can be')
  })

  it('is recorded with how many were meant at most, and in which order', async () => {
    const store = await seededStore()
    await store.raised(3)
    await wf(store, 'incidents', 'resolve')
    expect((await wf(store, 'audit', 'list')).out).toMatch(/incidents resolve {2}all of them +3 of 3/)
    await wf(store, 'undo', '--yes')
    await wf(store, 'incidents', 'resolve', '--type', 'mail', '--limit', '2', '--sort', 'oldest')
    await wf(store, 'jobs', 'update', '--type', 'mail', '--priority', '9', '--limit', '1', '--yes')
    expect((await audit(store)).slice(0, 2).map(({ selector }) => selector)).toEqual([
      '--type mail --limit 1',
      '--type mail --limit 2 --sort oldest',
    ])
  })

  it('is recorded whatever it is about', async () => {
    const store = await seededStore()
    await store.add()
    const calls = [
      ['types', 'pause', 'mail', '--reason', 'r'],
      ['types', 'resume', 'mail'],
      ['breakers', 'trip', 'stripe', '--for', '10m'],
      ['breakers', 'close', 'stripe'],
      ['jobs', 'cancel', '1'],
      ['workers', 'release', 'w#1', '--force'],
    ]
    for (const call of calls) expect([call, (await wf(store, ...call)).code]).toEqual([call, 0])
    expect((await audit(store)).map(({ verb, changed, who }) => [verb, changed, who])).toEqual(
      ['release', 'cancel', 'close', 'trip', 'resume', 'pause'].map((verb) => [verb, 1, 'ada@box']),
    )
    expect((await audit(store, '--verb', 'pause,trip')).length).toBe(2)
    expect((await audit(store, '--who', 'BOB')).length).toBe(0)
    expect((await audit(store, '--since', '1h', '--limit', '2')).map(({ id }) => id)).toEqual([6, 5])
    expect((await wf(store, 'audit', 'list', '--ids', '--verb', 'pause')).out).toBe('1\n')
  })

  // B156
  it('that is final says so before, and after', async () => {
    const store = await seededStore()
    const key = await store.dead()
    const end = await wf(store, 'dlq', 'discard', String(key))
    expect(end.err).toContain('this cannot be undone: a cancelled job never runs again')
    expect(end.out).toContain('operation 1 · this cannot be undone')
    const undo = await wf(store, 'undo', '1')
    expect([undo.code, undo.err]).toEqual([
      5,
      expect.stringContaining('operation 1 (dlq discard) cannot be undone: a cancelled job never runs again'),
    ])
    expect((await store.detail(key)).job.state).toBe('cancelled')
  })

  it('says which types a pause, a breaker or the lack of a worker would hold afterwards', async () => {
    const store = await seededStore()
    await store.raised(3)
    await wf(store, 'types', 'pause', 'mail', '--reason', 'release')
    const end = await wf(store, 'incidents', 'resolve', '--dry-run')
    expect(end.out).toContain('held 3 of mail: mail is paused by ada@box: release')
    const document = await json<{ impact: unknown }>(store, 'incidents', 'resolve', '--dry-run')
    expect(document.impact).toMatchObject([{ type: 'mail', jobs: 3, heldBy: 'paused' }])
  })
})

describe('wf undo', () => {
  it('takes the last change back that can be, and says which', async () => {
    const store = await seededStore()
    const keys = await store.raised(3)
    const before = await Promise.all(keys.map((key) => store.detail(key)))
    await wf(store, 'incidents', 'resolve', '--set', 'amount=7')
    await wf(store, 'jobs', 'cancel', String(await store.add({ type: 'other' })))
    const unasked = await wf(store, 'undo')
    expect([unasked.code, unasked.err]).toEqual([
      2,
      expect.stringContaining('operation 1: incidents resolve'),
    ])
    const foretold = await wf(store, 'undo', '--dry-run')
    expect([foretold.code, foretold.err]).toEqual([
      0,
      expect.stringContaining('would undo operation 1: incidents resolve'),
    ])
    expect(foretold.out).toContain('3 targets would be brought back  matched 3 = 3 changed')
    expect((await store.store.counts()).failed ?? 0).toBe(0)
    const undone = await wf(store, 'undo', '--yes')
    expect([undone.code, undone.err]).toEqual([
      0,
      expect.stringContaining('undoing operation 1: incidents resolve'),
    ])
    expect(undone.out).toContain('3 targets brought back')
    for (const [index, key] of keys.entries())
      expect({ ...(await store.detail(key)), history: [] }).toEqual({ ...before[index], history: [] })
    const nothing = await wf(store, 'undo', '--yes')
    expect([nothing.code, nothing.err]).toEqual([4, expect.stringContaining('there is nothing to undo')])
    const twice = await wf(store, 'undo', '1')
    expect([twice.code, twice.err]).toEqual([
      5,
      expect.stringContaining('operation 1 was undone already, by operation 3'),
    ])
    const undo = await wf(store, 'undo', '3')
    expect([undo.code, undo.err]).toEqual([5, expect.stringContaining('is an undo itself')])
    expect((await audit(store)).map(({ verb, undoneBy }) => [verb, undoneBy])).toEqual([
      ['undo', null],
      ['cancel', null],
      ['resolve', 3],
    ])
  })

  it('names what has started since and leaves it alone: exit 6, or 5 when nothing came back', async () => {
    const store = await seededStore()
    await store.raised(2)
    await wf(store, 'incidents', 'resolve')
    const [started] = await store.claim({ limit: 1 })
    const end = await wf(store, 'undo', '1')
    expect(end.code).toBe(6)
    expect(end.out).toContain(
      `failed ${started?.key}  attempt 2 of job ${started?.key} has started since (it is running)`,
    )
    expect(end.out).toContain('matched 2 = 1 changed + 0 skipped + 1 failed')
    expect(end.out).toContain('operation 2 · undid operation 1 in part')
    expect((await wf(store, 'audit', 'show', '1')).out).toContain('undone by 2 in part')
    expect((await wf(store, 'undo', '1', '--dry-run')).code).toBe(5)
    await wf(store, 'incidents', 'resolve')
    await store.claim({ limit: 1 })
    expect(await json(store, 'undo')).toMatchObject({ error: { code: 'refused' } })
    const none = await wf(store, 'undo', '3', '--json')
    expect([none.code, none.json<Done>()]).toEqual([
      5,
      expect.objectContaining({ matched: 1, changed: 0, failed: 1 }),
    ])
  })

  it('turns pauses and breakers back', async () => {
    const store = await seededStore()
    await store.add()
    await wf(store, 'types', 'pause', 'mail', '--reason', 'r')
    expect((await wf(store, 'undo', '--yes')).code).toBe(0)
    expect(await store.store.pausedTypes(store.store.now())).toEqual([])
    await wf(store, 'breakers', 'trip', 'stripe', '--for', '1h')
    expect((await wf(store, 'undo', '--yes', '--reason', 'wrong one')).code).toBe(0)
    expect(await store.store.breaker('stripe')).toMatchObject({
      mode: 'closed',
      who: 'ada@box',
      reason: 'wrong one',
    })
  })
})

describe('a bulk change that is broken off', () => {
  const many = async (store: SeededStore, count: number) =>
    store.engine.enqueue(Array.from({ length: count }, () => ({ type: 'mail', variables: {} })))
  const cancelled = async ({ store }: SeededStore) => (await store.counts()).cancelled ?? 0
  const args = ['jobs', 'cancel', '--type', 'mail', '--yes', '--rate', '10/s', '--json']

  // B156
  it('by Ctrl-C says what was done, leaves the rest, and run again does the rest', async () => {
    const store = await seededStore()
    await many(store, 300)
    const running = startCli(args, { store: store.location })
    await eventually(async () => (await cancelled(store)) > 0, 'a job is cancelled')
    running.signal('SIGINT')
    const end = await running.ended
    const done = end.json<Done>()
    expect([end.code, done.left > 0, done.changed + done.left]).toEqual([130, true, 300])
    expect(await cancelled(store)).toBe(done.changed)
    const [row] = await audit(store)
    expect(row).toMatchObject({ matched: 300, changed: done.changed, left: done.left, state: 'interrupted' })
    const left = (await store.store.operationTargets(1, { limit: 1_000 })).items.filter(
      ({ status }) => status === 'pending',
    )
    expect(left).toHaveLength(done.left)
    expect(
      await json(store, 'jobs', 'cancel', '--type', 'mail', '--state', 'available', '--yes'),
    ).toMatchObject({
      matched: done.left,
      changed: done.left,
    })
    expect(await cancelled(store)).toBe(300)
  })

  // B156
  it('by a kill leaves an exact record', async () => {
    const store = await seededStore()
    await many(store, 300)
    const running = startCli(args, { store: store.location })
    await eventually(async () => (await cancelled(store)) > 0, 'a job is cancelled')
    running.signal('SIGKILL')
    await running.ended
    const changed = await cancelled(store)
    expect(await audit(store)).toMatchObject([{ matched: 300, changed, left: 300 - changed }])
    expect((await store.store.operation(1))?.finishedAt).toBeNull()
  })

  // B156
  it('by nobody: two operators at once change each job once', async () => {
    const store = await seededStore()
    await many(store, 400)
    const both = await Promise.all([1, 2].map(() => json(store, 'jobs', 'cancel', '--type', 'mail', '--yes')))
    expect(both.reduce((sum, { changed }) => sum + changed, 0)).toBe(400)
    for (const { matched, changed, skipped, failed } of both)
      expect([matched, failed]).toEqual([changed + skipped, 0])
  })

  // B156
  it('asks for --yes where nobody can be asked, and records nothing of what matched nothing', async () => {
    const store = await seededStore()
    await many(store, 5)
    const refused = await wf(store, 'jobs', 'cancel', '--type', 'mail')
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('5 jobs (5 available of mail) would be cancelled for good'),
    ])
    expect(await json(store, 'jobs', 'cancel', '--type', 'other', '--yes')).toMatchObject({
      matched: 0,
      operation: null,
    })
    expect(await audit(store)).toEqual([])
  })
})
