import { retireWorkers } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { seededStore } from '../support/seeded-store.ts'
import { hasScript, onTerminal } from '../support/terminal.ts'

const keys = 's show one   r resolve   e edit variables, then resolve   a set aside   n next   q quit'

type Turn = readonly [shown: string, typed: string]

/** Types each answer when its question is there; answers all that was shown. */
async function triage(location: string, turns: readonly Turn[]): Promise<string> {
  const terminal = onTerminal('wf triage', { WF_STORE: location, WF_USER: 'ada' })
  for (const [shown, typed] of turns) {
    await terminal.shows(shown)
    terminal.type(typed)
  }
  return terminal.ended
}

describe.skipIf(!hasScript)('wf triage on a terminal', () => {
  it('shows cause after cause, the worst first, and one job after the other of each', async () => {
    const { location, raised, poisoned } = await seededStore()
    const [older = 0, newer = 0] = await raised(2, 'the gateway is away')
    await poisoned({ password: 'hunter2' })
    const said = await triage(location, [
      [keys, 's'],
      [keys, 's'],
      [keys, 'n'],
      [keys, 's'],
      [keys, 'q'],
    ])
    expect(said).toContain('3 open incidents of 2 causes; the worst of those left:\n2 ↑  mail  new\n')
    expect(said.indexOf(`incident of job ${newer}`)).toBeLessThan(said.indexOf(`incident of job ${older}`))
    expect(said).toContain('Error: the gateway is away')
    expect(said.indexOf('the gateway is away')).toBeLessThan(said.indexOf('cannot work'))
    expect(said).toContain('"password": "***"')
    expect(said).toMatch(/3 open incidents of 2 causes left\nexit 0\nicanon\n$/)
  })

  it('resolves a cause after a count and a yes, tells what became of it, and goes on with the next', async () => {
    const { location, raised, poisoned, store, detail } = await seededStore()
    const stopped = await raised(2)
    await poisoned()
    await retireWorkers(store, ['w#1'], store.now())
    const said = await triage(location, [
      [keys, 'r'],
      ['executions to give each', 'many\r'],
      ['"many" is not a whole number', '5\r'],
      [
        '2 jobs would be resolved, 5 executions each\nheld 2 of mail: no worker for type mail is running',
        'n',
      ],
      ['nothing was changed', 'r'],
      ['executions to give each', '5\r'],
      ['y all of them   n no', 'y'],
      ['1 open incident of 1 cause; the worst of those left:', 'q'],
    ])
    expect(said).toContain('2 jobs resolved  matched 2 = 2 changed + 0 skipped + 0 failed')
    expect(said).toContain('not verified: no worker for type mail is running')
    for (const key of stopped)
      expect((await detail(key)).job).toMatchObject({ state: 'available', retries: 5 })
    const [operation] = (await store.operations({}, { limit: 1 })).items
    expect(operation).toMatchObject({
      verb: 'resolve',
      changed: 2,
      selector: expect.stringContaining('--fingerprint'),
    })
  })

  it('changes variables first, tried on one job before all are changed', async () => {
    const { location, poisoned, store, detail } = await seededStore()
    const key = await poisoned({ amount: -1, note: 'x' })
    await retireWorkers(store, ['w#1'], store.now())
    const question = 'set path=value'
    const said = await triage(location, [
      [keys, 'e'],
      [question, 'amuont=10\r'],
      ['create it?', 'n'],
      [question, 'amount=ten\r'],
      [question, 'amounx\u007f=10\r'],
      ['create it?', 'n'],
      [question, 'wrong\u0015amount=10\r'],
      [question, 'colour=red\r'],
      ['create it?', 'y'],
      [question, '\r'],
      ['executions to give each', '\r'],
      ['y all of them', 'y'],
      ['no open incidents are left', ''],
    ])
    expect(said).toContain('the variables have no "amuont"')
    expect(said).toContain('"amount" is a number, and "ten" is text')
    expect(said).toContain(
      '1 job would be resolved, 3 executions each, amount, colour changed first\npoison_message: its variables cannot succeed as they are',
    )
    const { job, variables } = await detail(key)
    expect([job.state, job.retries, JSON.parse(variables)]).toEqual([
      'available',
      3,
      { amount: 10, note: 'x', colour: 'red' },
    ])
  })

  it('sets a cause aside by pausing its type, which can be taken back, and passes on', async () => {
    const { location, raised, store } = await seededStore()
    await raised(2)
    const said = await triage(location, [
      [keys, 'a'],
      ['for how long', '30 minutes\r'],
      ['for how long', '30m\r'],
      ['why, for the record', 'the gateway is away\r'],
      ['y pause it', 'y'],
      ['2 open incidents of 1 cause left', ''],
    ])
    expect(said).toContain(
      'mail would be paused: 0 running jobs may finish, 0 jobs and all that come wait; what has stopped waits as it is',
    )
    expect(said).toMatch(
      /paused mail until .*, in (2\d|30)m; wf types resume mail ends it\noperation \d+ · wf undo \d+\n/,
    )
    expect(await store.pausedTypes(store.now())).toMatchObject([
      { type: 'mail', by: expect.stringContaining('ada'), reason: 'the gateway is away' },
    ])
    expect((await store.counts()).failed).toBe(2)
  })

  it.each<[string, readonly Turn[]]>([
    ['Ctrl-C', [[keys, '\u0003']]],
    [
      'Ctrl-C in a question',
      [
        [keys, 'r'],
        ['executions', 'half\u0003'],
        ['nothing was changed', '\u0003'],
      ],
    ],
    ['Ctrl-D', [[keys, '\u0004']]],
    ['q, whatever keys came before', [[keys, '\u001b[Axq']]],
  ])('leaves at %s with nothing done and the terminal as it was', async (_, turns) => {
    const { location, raised, store } = await seededStore()
    await raised(1)
    expect(await triage(location, turns)).toMatch(/1 open incident of 1 cause left\nexit 0\nicanon\n$/)
    expect((await store.counts()).failed).toBe(1)
  })

  it('has nothing to do where nothing stopped', async () => {
    const { location } = await seededStore()
    expect(await triage(location, [])).toContain('no open incidents\nexit 0')
  })
})
