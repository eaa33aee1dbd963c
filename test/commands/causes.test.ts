import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/text/width.ts'
import { cli } from '../support/cli.ts'
import { hostileStore, secret, unsafe } from '../support/hostile-store.ts'
import { seededStore } from '../support/seeded-store.ts'

interface Causes {
  total: number
  incidents: number
  items: readonly {
    fingerprint: string
    type: string
    kind: string
    count: number
    message: string
    trend: { direction: string; last: number; before: number; windowMs: number }
    isNew: boolean | null
    command: string
    sampleKeys: readonly number[]
    member?: { key: number; attempts: readonly unknown[]; variables: object; error: { stack: string | null } }
  }[]
}

describe('wf incidents list --by cause', () => {
  it('counts open incidents by cause, the worst first, with trend, newness and the command that takes exactly these', async () => {
    const { location, raised, poisoned, clock } = await seededStore()
    const keys = await raised(3, 'order 17 of "ada" is late')
    await clock.advance(1_000)
    const poison = await poisoned()
    const end = await cli(['incidents', 'list', '--by', 'cause', '--json'], { store: location })
    const { items, total, incidents } = end.json<Causes>()
    expect([end.code, total, incidents]).toEqual([0, 2, 4])
    expect(items[0]).toMatchObject({
      type: 'mail',
      kind: 'raised',
      count: 3,
      message: 'order <n> of <text> is late',
      isNew: true,
    })
    expect(items[0]).toMatchObject({
      trend: { direction: 'rising', last: 3, before: 0, windowMs: 900_000 },
      sampleKeys: keys.toReversed(),
    })
    expect(items[0]?.command).toBe(
      `wf incidents resolve --fingerprint ${items[0]?.fingerprint} --retries 3 --store ${location}`,
    )
    expect(items[1]).toMatchObject({ kind: 'poison_message', count: 1, sampleKeys: [poison] })
    expect(items[1]?.command).toContain(
      `--kind poison_message --fingerprint ${items[1]?.fingerprint} --retries 3 --set PATH=VALUE`,
    )

    for (const [index, count] of [3, 1].entries()) {
      const args = (items[index]?.command ?? '')
        .split(' ')
        .slice(1)
        .filter((word) => word !== '--set' && word !== 'PATH=VALUE')
      expect((await cli([...args, '--json'])).json()).toMatchObject({ matched: count, changed: count })
    }
  })

  it('says for people how many, since when and what to do, within the terminal, and prints fingerprints alone', async () => {
    const { location, raised } = await seededStore()
    await raised(2, `cannot reach ${'the gateway '.repeat(30)}`)
    const { code, out, err } = await cli(['incidents', 'list', '--by', 'cause'], {
      store: location,
      env: { COLUMNS: '80' },
    })
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toBe('2 ↑  mail  new')
    expect(lines[1]).toMatch(/^ {2}cannot reach the gateway .*…$/)
    expect(lines[2]).toMatch(/^ {2}raised · first .*, last .* · 2 in the last 15m, 0 before$/)
    expect(lines.at(-1)).toMatch(/^ {2}wf incidents resolve --fingerprint [0-9a-f]{16} --retries 3 --store /)
    expect(Math.max(...lines.slice(0, -1).map(displayWidth))).toBeLessThanOrEqual(80)
    expect(err).toBe('2 open incidents of 1 cause\n')
    const ids = await cli(['incidents', 'list', '--by', 'cause', '--ids'], { store: location })
    expect(ids.out).toMatch(/^[0-9a-f]{16}\n$/)
  })

  it('is narrowed as the list is, takes its limit, and says where it looked when there is nothing', async () => {
    const { location, raised, poisoned } = await seededStore()
    await raised(2)
    await poisoned()
    const of = async (...args: readonly string[]) =>
      (
        await cli(['incidents', 'list', '--by', 'cause', '--json', ...args], { store: location })
      ).json<Causes>()
    expect((await of('--kind', 'raised')).items.map(({ kind }) => kind)).toEqual(['raised'])
    expect((await of('--kind', 'raised')).items[0]?.command).toContain(' --kind raised ')
    expect((await of('--error', 'cannot work')).items.map(({ kind }) => kind)).toEqual(['poison_message'])
    expect((await of('--where', 'variables.to=ada@example.org')).items.map(({ count }) => count)).toEqual([2])
    expect(await of('--limit', '1')).toMatchObject({ total: 2, incidents: 3, items: [{ count: 2 }] })
    const none = await cli(['incidents', 'list', '--by', 'cause', '--type', 'nobody'], { store: location })
    expect([none.code, none.out, none.err]).toEqual([0, '', `no open incidents in ${location}\n`])
  })

  // A39
  it('shows nothing that a terminal would obey and no secret, whatever stands in the store', async () => {
    const { location } = await hostileStore()
    for (const args of [
      ['incidents', 'list', '--by', 'cause'],
      ['incidents', 'list', '--by', 'cause', '--json'],
      ['triage', '--json'],
    ]) {
      const end = await cli(args, { store: location, env: { COLUMNS: '80' } })
      expect([
        args,
        end.code,
        unsafe.exec(end.out + end.err)?.[0],
        secret.exec(end.out + end.err)?.[0],
      ]).toEqual([args, 0, undefined, undefined])
    }
  })

  it.each([['--closed'], ['--cursor', 'x'], ['--sort', 'oldest']])('has no use for %s', async (...args) => {
    const { location } = await seededStore()
    expect((await cli(['incidents', 'list', '--by', 'cause', ...args], { store: location })).code).toBe(2)
    expect((await cli(['incidents', 'list', '--by', 'kind'], { store: location })).err).toContain(
      'is none of cause',
    )
  })
})

describe('wf incidents resolve --canary', () => {
  it('needs to be told how long to wait', async () => {
    const { location, raised } = await seededStore()
    await raised(1)
    const end = await cli(['incidents', 'resolve', '--canary', '3'], { store: location })
    expect([end.code, end.err.includes('add --verify 2m')]).toEqual([2, true])
  })

  it('changes nothing with --dry-run', async () => {
    const { location, raised, store } = await seededStore()
    await raised(4)
    const end = await cli(
      ['incidents', 'resolve', '--canary', '3', '--verify', '1m', '--dry-run', '--json'],
      { store: location },
    )
    expect(end.json()).toMatchObject({ matched: 4, changed: 4, dryRun: true })
    expect((await store.counts()).failed).toBe(4)
  })
})

describe('wf triage without a terminal', () => {
  it('is refused, and names what can be read instead', async () => {
    const { location } = await seededStore()
    const end = await cli(['triage'], { store: location })
    expect([end.code, end.out]).toEqual([2, ''])
    expect(end.err).toContain('wf triage --json')
  })

  it('prints the ranked list with everything that it would show', async () => {
    const { location, raised, poisoned } = await seededStore()
    await raised(2)
    const poison = await poisoned({ password: 'hunter2', amount: -1 })
    const end = await cli(['triage', '--json'], { store: location })
    const { items, total } = end.json<Causes>()
    expect([end.code, total, items.map(({ count }) => count)]).toEqual([0, 2, [2, 1]])
    const member = items[1]?.member
    expect(member).toMatchObject({
      key: poison,
      attempts: [{ attempt: 1, outcome: 'poison' }],
      variables: { password: '***', amount: -1 },
    })
    expect(member?.error.stack).toContain('at ')
    expect(
      (await cli(['triage', '--json', '--kind', 'raised', '--limit', '1'], { store: location })).json(),
    ).toMatchObject({ total: 1 })
  })
})
