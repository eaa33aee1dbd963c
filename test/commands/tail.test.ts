import { describe, expect, it } from 'vitest'
import { startCli, cli } from '../support/cli.ts'
import { outcomes } from '../support/test-engine.ts'
import { seededStore, type SeededStore } from '../support/seeded-store.ts'

type Line = Record<string, unknown>
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
const kinds = (told: readonly Line[]) => told.map(({ kind, what }) => [kind, what])

/** One of each thing that can happen. */
async function busy({ raised, dead, waiting }: SeededStore): Promise<void> {
  await raised(1, 'password=geheim')
  await dead()
  await waiting()
}

describe('wf tail', () => {
  it('tells since when it is asked what happened, in its order, with secrets masked', async () => {
    const made = await seededStore()
    const from = new Date(made.clock.now()).toISOString()
    await busy(made)
    await cli(['jobs', 'cancel', '1', '--reason', 'x'], { store: made.location, env: { WF_USER: 'ada' } })
    const end = await cli(['tail', '--since', from, '--for', '1ms', '--json'], { store: made.location })
    expect([end.code, end.err]).toEqual([0, ''])
    const told = lines(end.out)
    expect(kinds(told)).toEqual(
      expect.arrayContaining([
        ['enqueued', null],
        ['attempt', 'fail'],
        ['attempt', 'incident'],
        ['incident', 'raised'],
        ['dead_letter', 'exhausted'],
        ['change', 'cancelled'],
        ['operation', 'cancel'],
      ]),
    )
    expect(told.find(({ kind }) => kind === 'operation')).toMatchObject({
      who: 'ada',
      detail: expect.stringContaining('1 changed'),
    })
    expect(end.out).not.toContain('geheim')
    const some = await cli(
      ['tail', '--since', from, '--for', '1ms', '--kind', 'incident', '--type', 'mail'],
      { store: made.location },
    )
    expect(some.out).toMatch(/^\d\d:\d\d:\d\d {2}incident {5}mail {2}raised {2}job 1 {2}password=\*\*\*\n$/)
    expect(
      (await cli(['tail', '--since', from, '--for', '1ms', '--type', 'nobody'], { store: made.location }))
        .out,
    ).toBe('')
  })

  it('follows what comes, until Ctrl-C, and ends well', async () => {
    const made = await seededStore()
    const tail = startCli(['tail', '--json', '--since', '1d', '--store', made.location])
    const known = await made.add()
    await tail.heard(new RegExp(`"key":${known},`))
    const [next] = await made.raised(1)
    await tail.heard(/"kind":"incident"/)
    tail.signal('SIGINT')
    const end = await tail.ended
    expect([end.code, end.err]).toEqual([0, ''])
    const enqueued = lines(end.out).filter(({ kind }) => kind === 'enqueued')
    expect(enqueued.map(({ key }) => key)).toEqual([known, next])
  })

  it('tells each job that completes, also where somebody asks for those alone', async () => {
    const made = await seededStore()
    const known = await made.add()
    const kinds = ['--kind', 'enqueued,completed', '--type', 'mail']
    const tail = startCli(['tail', '--json', '--since', '1d', ...kinds, '--store', made.location])
    await tail.heard(new RegExp(`"key":${known},`))
    const done = [known, await made.add()]
    for (const job of await made.claim({ limit: 2 })) await made.settle(job, outcomes.success())
    for (const key of done)
      await tail.heard(new RegExp(`"kind":"completed","type":"mail","key":${key},"count":1,`))
    tail.signal('SIGINT')
    const { code, err, out } = await tail.ended
    expect([code, err]).toEqual([0, ''])
    expect(lines(out).filter(({ kind }) => kind === 'completed')).toHaveLength(2)
  })

  it('sums up a flood, so that no more lines come in a second than were asked for', async () => {
    const made = await seededStore()
    await made.engine.enqueue(Array.from({ length: 3_000 }, (_, index) => ({ type: `t${index % 40}` })))
    await made.raised(50)
    const end = await cli(['tail', '--since', '1d', '--for', '1ms', '--lines', '10', '--json'], {
      store: made.location,
    })
    const told = lines(end.out)
    expect(told.length).toBeLessThanOrEqual(10)
    expect(
      told.filter(({ kind }) => kind === 'enqueued').reduce((sum, { count }) => sum + Number(count), 0),
    ).toBe(3_050)
    expect(
      told.filter(({ kind }) => kind === 'incident').reduce((sum, { count }) => sum + Number(count), 0),
    ).toBe(50)
  })
})
