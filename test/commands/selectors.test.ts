import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { unsafe } from '../support/hostile-store.ts'
import { seededStore } from '../support/seeded-store.ts'

const ids = ({ out }: { out: string }) => out.trim().split('\n').filter(Boolean).map(Number)

/** A command a process: time for many of them. */
describe('a selector on the command line', () => {
  it('narrows every list by what went wrong, by what jobs carry and by time', async () => {
    const { location, raised, dead, add } = await seededStore()
    const slow = await raised(2, 'connect ETIMEDOUT 10.0.0.1')
    const [other] = await raised(1, 'card declined')
    const letter = await dead()
    const waits = await add({ variables: { 'a.b': [{ c: null }] } })
    const list = async (...args: readonly string[]) => ids(await cli([...args, '--ids'], { store: location }))
    expect(
      await list(
        'jobs',
        'list',
        '--state',
        'failed',
        '--error',
        'etimedout',
        '--where',
        'variables.amount=1',
      ),
    ).toEqual(slow.toReversed())
    expect(
      await list(
        'incidents',
        'list',
        '--error',
        '/^card/',
        '--where',
        'to=ada@example.org',
        '--sort',
        'oldest',
      ),
    ).toEqual([other])
    expect(await list('incidents', 'list', '--error', '/TIMED(OUT)?/i', '--limit', '1')).toEqual([slow[1]])
    expect(await list('dlq', 'list', '--error', 'no more', '--since', '2h', '--sort', 'count')).toEqual([
      letter,
    ])
    expect(await list('jobs', 'list', '--where', 'variables["a.b"][0].c=null')).toEqual([waits])
    expect(await list('jobs', 'list', '--where', 'variables["a.b"][1].c=null')).toEqual([])
    expect(await list('jobs', 'list', '--older-than', '1d')).toEqual([])
  })

  it('says in words what nothing was found for, and where it looked', async () => {
    const { location, raised } = await seededStore()
    await raised(1)
    const [list, resolve, retry] = await Promise.all([
      cli(['incidents', 'list', '--error', "it's gone", '--type', 'mail'], { store: location }),
      cli(['incidents', 'resolve', '--code', 'ENOENT', '--dry-run'], { store: location }),
      cli(['jobs', 'retry', '--where', 'variables.x="a b"', '--yes'], { store: location }),
    ])
    expect(list).toMatchObject({
      code: 0,
      err: `no open incidents in ${location} for --type mail --error 'it'\\''s gone' (1 looked into)\n`,
    })
    expect([resolve.code, resolve.err]).toEqual([0, `nothing matched in ${location} for --code ENOENT\n`])
    expect([retry.code, retry.err]).toEqual([
      0,
      `nothing matched in ${location} for --where variables.x='a b'\n`,
    ])
  })

  // B156
  it('takes of what is meant no more than it is told, the first in the order that it is told', async () => {
    const { location, raised, state } = await boundedStore()
    const keys = await raised(5, 'down')
    const end = await cli(
      ['incidents', 'resolve', '--error', 'down', '--limit', '2', '--sort', 'oldest', '--json'],
      { store: location },
    )
    expect(end.json()).toMatchObject({ matched: 2, changed: 2, skipped: 0, failed: 0 })
    expect(await Promise.all(keys.map(state))).toEqual([
      'available',
      'available',
      'failed',
      'failed',
      'failed',
    ])
    const cancelled = await cli(['jobs', 'cancel', '--state', 'failed', '--limit', '1', '--yes', '--json'], {
      store: location,
    })
    expect(cancelled.json()).toMatchObject({ matched: 1, changed: 1 })
    expect(await Promise.all(keys.map(state))).toEqual([
      'available',
      'available',
      'failed',
      'failed',
      'cancelled',
    ])
  })

  it('refuses a field that means nothing there, and says why', async () => {
    const { location } = await seededStore()
    const tried = [
      ['incidents', 'list', '--state', 'failed'],
      ['dlq', 'list', '--worker', 'w'],
      ['dlq', 'retry', '--kind', 'raised'],
      ['jobs', 'list', '--kind', 'poison'],
      ['jobs', 'list', '--sort', 'count'],
      ['jobs', 'cancel', '1', '--limit', '3'],
      ['incidents', 'list', '--since', '1h', '--until', '2h'],
      ['jobs', 'list', '--error', '/(a/'],
      ['jobs', 'list', '--where', 'amount'],
    ]
    const ends = await Promise.all(tried.map((args) => cli(args, { store: location })))
    expect(ends.map(({ code }) => code)).toEqual(tried.map(() => 2))
    expect(ends[0]?.err).toBe(
      'wf: --state does not narrow incidents: the job of an open one is always failed\n    try: only lists of jobs take --state\n',
    )
  })

  // A39
  it('shows hostile words of a selector as escapes, and hands them to nothing that would obey', async () => {
    const { location, raised } = await seededStore()
    await raised(1)
    const hostile = '\u001b[2J\u009b31m\'"; DROP TABLE wf_jobs; --'
    const tried = await Promise.all(
      [
        '--type',
        '--error',
        '--code',
        '--worker',
        '--where',
        '--fingerprint',
        '--since',
        '--sort',
        '--cursor',
        '--kind',
      ].map((flag) =>
        cli(['jobs', 'list', flag, flag === '--where' ? `x=${hostile}` : hostile], { store: location }),
      ),
    )
    for (const end of tried) {
      expect([0, 2]).toContain(end.code)
      expect(unsafe.exec(end.out + end.err)?.[0]).toBeUndefined()
    }
    expect(ids(await cli(['incidents', 'list', '--ids'], { store: location }))).toHaveLength(1)
  })
})

async function boundedStore() {
  const made = await seededStore()
  return { ...made, state: async (key: number) => (await made.detail(key)).job.state }
}
