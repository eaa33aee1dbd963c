import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

interface Changed {
  matched: number
  changed: number
  skipped: number
  failed: number
  dryRun: boolean
  items: readonly { key: number; status: string; why: string }[]
}

describe('wf incidents resolve', () => {
  it('says what still keeps the jobs that it sent to work, and nothing where nothing does', async () => {
    const { location, raised, engine } = await seededStore()
    const [key = 0, other = 0] = await raised(2)
    const free = await cli(['incidents', 'resolve', String(key)], { store: location })
    expect(free.out).not.toContain('held')
    await engine.pauseTypes(['mail'], { paused: true, reason: 'their maintenance', who: 'ada' })
    const held = await cli(['incidents', 'resolve', String(other)], { store: location })
    expect(held).toMatchObject({ code: 0, err: '' })
    expect(held.out).toContain('\nheld 1 of mail: mail is paused by ada: their maintenance\n')
  })

  // A19
  it('gives retries, says who and why, skips what is resolved already, and knows no unknown key', async () => {
    const { location, raised, detail } = await seededStore()
    const [key = 0] = await raised()
    const args = ['incidents', 'resolve', String(key), '--retries', '3', '--reason', 'gateway is back']
    const first = await cli(args, { store: location, env: { WF_USER: 'ada' } })
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toContain('1 job resolved')
    const { job, incidents } = await detail(key)
    expect(job).toMatchObject({ state: 'available', retries: 3, attempt: 1, failures: 0 })
    expect(incidents[0]).toMatchObject({
      resolvedBy: 'ada',
      reason: 'gateway is back',
      resolution: 'resolve',
    })

    const second = await cli(args, { store: location })
    expect(second.code).toBe(0)
    expect(second.out).toContain('skipped')
    expect(second.out).toContain('already resolved')

    const unknown = await cli(['incidents', 'resolve', '4711', '--json'], { store: location })
    expect(unknown.code).toBe(4)
    expect(unknown.json<{ error: { code: string } }>().error.code).toBe('not_found')
  })

  // A20
  it('resolves nothing, one and 250 open incidents where nobody can be asked', async () => {
    const { location, raised, store } = await seededStore()
    const resolve = async () =>
      (await cli(['incidents', 'resolve', '--retries', '3', '--json'], { store: location })).json<Changed>()
    const sums = [await resolve()]
    await raised(1)
    sums.push(await resolve())
    await raised(250)
    sums.push(await resolve())
    expect(sums.map(({ matched, changed, skipped, failed }) => [matched, changed, skipped, failed])).toEqual([
      [0, 0, 0, 0],
      [1, 1, 0, 0],
      [250, 250, 0, 0],
    ])
    expect((await store.counts()).failed ?? 0).toBe(0)
    expect(
      (await store.jobs({ states: ['available'] }, { limit: 1_000 })).items.every(
        ({ retries }) => retries === 3,
      ),
    ).toBe(true)
  })

  // A20
  it('passes by what would do it again, names it, and takes it when it is named', async () => {
    const { location, raised, poisoned, crashLooping, resultInvalid, store } = await seededStore()
    const [plain = 0] = await raised()
    const poison = await poisoned()
    const looping = await crashLooping()
    const charged = await resultInvalid()

    const dry = (
      await cli(['incidents', 'resolve', '--dry-run', '--json'], { store: location })
    ).json<Changed>()
    expect(dry).toMatchObject({ matched: 4, changed: 1, skipped: 3, failed: 0, dryRun: true })
    expect((await store.counts()).failed).toBe(4)

    const all = await cli(['incidents', 'resolve'], { store: location })
    expect(all.code).toBe(0)
    expect(all.out).toContain(`skipped ${poison}  poison_message: `)
    expect(all.out).toContain(`skipped ${looping}  crash_loop: `)
    expect(all.out).toContain(`skipped ${charged}  result_invalid: its effect has happened`)
    expect(all.out).toContain('matched 4 = 1 changed + 3 skipped + 0 failed')
    expect((await store.job(plain))?.job.state).toBe('available')

    const byType = (
      await cli(['incidents', 'resolve', '--type', 'mail', '--json'], { store: location })
    ).json<Changed>()
    expect(byType).toMatchObject({ matched: 3, changed: 0, skipped: 3 })
    const [byKind, byKey, another] = [
      (
        await cli(['incidents', 'resolve', '--kind', 'crash_loop', '--json'], { store: location })
      ).json<Changed>(),
      (await cli(['incidents', 'resolve', String(poison), '--json'], { store: location })).json<Changed>(),
      (
        await cli(['incidents', 'resolve', '--type', 'mail', '--kind', 'result_invalid', '--json'], {
          store: location,
        })
      ).json<Changed>(),
    ]
    expect([byKind.changed, byKey.changed, another.changed]).toEqual([1, 1, 1])
    expect((await store.counts()).failed ?? 0).toBe(0)
  })

  it('takes keys at their word, and names those among several that would do harm again', async () => {
    const { location, raised, poisoned, resultInvalid } = await seededStore()
    const [plain = 0] = await raised()
    const [poison, charged] = [await poisoned(), await resultInvalid()]
    const piped = [plain, poison, charged].join('\n')
    for (const verb of [
      ['incidents', 'resolve'],
      ['jobs', 'retry'],
    ]) {
      const end = await cli([...verb, '-', '--dry-run'], { store: location, input: piped })
      expect(end.out).toContain('matched 3 = 3 changed')
      expect(end.err).toContain(
        `taken by their keys: 1 poison_message (${poison}): its variables cannot succeed as they are`,
      )
      expect(end.err).toContain(`taken by their keys: 1 result_invalid (${charged}): its effect has happened`)
    }
    expect((await cli(['incidents', 'resolve', String(charged), '--dry-run'], { store: location })).err).toBe(
      '',
    )
  })

  // A21
  it('changes a variable first and records what it was before, and who changed it', async () => {
    const { location, raised, detail } = await seededStore()
    const [key = 0] = await raised()
    const set = (...args: readonly string[]) =>
      cli(['incidents', 'resolve', String(key), ...args], { store: location, env: { WF_USER: 'ada' } })

    const typo = await set('--set', 'amuont=10')
    expect(typo.code).toBe(5)
    expect(typo.err).toContain('amuont')
    expect((await detail(key)).job.state).toBe('failed')

    expect((await set('--set', 'variables.amount=10', '--set', 'note=by hand', '--add')).code).toBe(0)
    const { variables, history } = await detail(key)
    expect(JSON.parse(variables)).toMatchObject({ amount: 10, note: 'by hand' })
    const row = history.find(({ event }) => event === 'resolved')
    expect(row?.who).toBe('ada')
    expect(JSON.parse(row?.detail ?? '{}')).toMatchObject({
      variables: [
        { path: 'amount', before: 1, after: 10 },
        { path: 'note', after: 'by hand' },
      ],
    })
  })

  // B022
  it('refuses to give no or fewer retries, and changes nothing', async () => {
    const { location, raised, store } = await seededStore()
    const [key = 0] = await raised()
    const tried = await Promise.all(
      ['0', '-1'].map((retries) =>
        cli(['incidents', 'resolve', String(key), '--retries', retries], { store: location }),
      ),
    )
    for (const { code, err } of tried) {
      expect(code).toBe(2)
      expect(err).toContain('--retries')
      expect(err).toContain('1 to 1,000')
    }
    expect((await store.counts()).failed).toBe(1)
  })

  // B022
  it('lets one of two shells resolve, and tells the other that it is done', async () => {
    const { location, raised, detail } = await seededStore()
    const [key = 0] = await raised()
    const both = await Promise.all(
      [1, 2].map(() => cli(['incidents', 'resolve', String(key), '--json'], { store: location })),
    )
    const sums = both.map((end) => end.json<Changed>())
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(sums.map(({ changed }) => changed).sort()).toEqual([0, 1])
    expect(sums.find(({ skipped }) => skipped === 1)?.items[0]?.why).toContain('already resolved')
    const { job, history } = await detail(key)
    expect(job.retries).toBe(3)
    expect(history.filter(({ event }) => event === 'resolved')).toHaveLength(1)
  })

  it('takes keys from standard input, as lists print them', async () => {
    const { location, raised } = await seededStore()
    const keys = await raised(3)
    const listed = await cli(['incidents', 'list', '--ids'], { store: location })
    expect(listed.out.trim().split('\n').map(Number).sort()).toEqual([...keys].sort())
    const resolved = await cli(['incidents', 'resolve', '-', '--json'], {
      store: location,
      input: listed.out,
    })
    expect(resolved.json<Changed>()).toMatchObject({ matched: 3, changed: 3 })
  })

  it('is partly done when one of its keys is unknown, and says so in the one document', async () => {
    const { location, raised } = await seededStore()
    const [key = 0] = await raised()
    const end = await cli(['incidents', 'resolve', String(key), '4711', '--json'], { store: location })
    expect(end.code).toBe(6)
    expect(end.json()).toMatchObject({
      matched: 2,
      changed: 1,
      skipped: 0,
      failed: 1,
      error: { code: 'partly_done' },
    })
  })
})

describe('wf incidents show', () => {
  it('tells why the job stopped and what can be done, for the open incident or the last one', async () => {
    const { location, raised, add } = await seededStore()
    const [key = 0] = await raised(1, 'the gateway answered 500')
    const shown = await cli(['incidents', 'show', String(key)], { store: location })
    expect(shown.code).toBe(0)
    expect(shown.out).toContain('the gateway answered 500')
    expect(shown.out).toContain(`wf incidents resolve ${key} --store ${location}`)
    await cli(['incidents', 'resolve', String(key)], { store: location, env: { WF_USER: 'ada' } })
    expect(
      (await cli(['incidents', 'show', String(key), '--json'], { store: location })).json(),
    ).toMatchObject({ key, resolvedBy: 'ada' })
    const other = await add()
    expect((await cli(['incidents', 'show', String(other)], { store: location })).code).toBe(4)
  })
})
