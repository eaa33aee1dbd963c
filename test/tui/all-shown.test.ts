import { describe, expect, it } from 'vitest'
import { commandOf } from '../../src/tui/keys.ts'
import { equivalentCommand } from '../../src/tui/as-command.ts'
import { resolveTargets } from '../../src/tui/resolve-targets.ts'
import { reduce } from '../../src/tui/reduce.ts'
import { otherOf } from '../../src/tui/confirm.ts'
import { actionOf } from '../../src/tui/action.ts'
import type { JobsAction, Confirm, State } from '../../src/tui/state.ts'
import { outage, shown, textOf, type Step } from './support/outage.ts'
import { jobs, press, read, start, type } from './support/scene.ts'

const filter =
  (text: string): Step =>
  (state) =>
    type(press(state, 'filter'), text, 'enter')
const size = { columns: 100, rows: 24 }

function asked(state: State, verb: Parameters<typeof actionOf>[1]): JobsAction {
  const action = actionOf(state, verb)
  if (typeof action === 'string' || action.of !== 'jobs')
    throw new Error(`no action of jobs: ${JSON.stringify(action)}`)
  return action
}

const panelOf = (state: State, action: JobsAction): Confirm => {
  const { overlay } = reduce(state, { type: 'proposed', id: 1, action })
  if (overlay?.kind !== 'confirm') throw new Error('no panel')
  return overlay
}

describe('an action on a list that a filter or a cause has narrowed', () => {
  it('is about the selected one, and offers all of the list; the same key goes back', async () => {
    const made = await outage()
    const members = await shown(made, { size, screen: 'incidents' }, (state) => press(state, 'open'))
    const one = asked(members, 'resolve')
    expect(one).toMatchObject({
      selector: { keys: [17] },
      other: { list: 'incidents', words: 'all of this cause' },
    })
    const ready = reduce(reduce(members, { type: 'proposed', id: 1, action: one }), {
      ...{ type: 'resolved', id: 1 },
      ...(await resolveTargets(made.source.reader, one, made.source.now())),
    })
    expect(textOf(ready)).toMatch(/1 job [\s\S]*a switches to all of this cause/)
    const all = otherOf(panelOf(members, one), 'a')
    if (all === null) throw new Error('a is not heard')
    expect((await resolveTargets(made.source.reader, all, made.source.now())).targets).toHaveLength(14)
    expect(otherOf(panelOf(members, all), 'a')).toEqual(one)
  })

  it('takes what the list shows, in each of them, by a command that means the same', async () => {
    const made = await outage()
    const take = async (screen: State['screen'], text: string, verb: 'resolve' | 'cancel' | 'discard') => {
      const state = await shown(made, { size, screen }, filter(text))
      const { other } = asked(state, verb)
      if (other === undefined) throw new Error(`nothing is offered for ${text}`)
      const frozen = await resolveTargets(made.source.reader, other, made.source.now())
      return [
        frozen.targets.length,
        equivalentCommand({ action: other, reason: '', amount: null, takesGuarded: false, ...frozen }, ''),
      ]
    }
    expect(await take('incidents', '--since 30m', 'resolve')).toEqual([
      14,
      expect.stringMatching(/^wf incidents resolve --since 2026/),
    ])
    expect(await take('dead-letters', '--type send-mail', 'resolve')).toEqual([
      3,
      'wf dlq retry --type send-mail',
    ])
    expect(await take('dead-letters', '--type send-mail', 'discard')).toEqual([
      3,
      'wf dlq discard --type send-mail',
    ])
    expect(await take('dead-letters', '--type send-mail', 'cancel')).toEqual([3, 'wf jobs cancel 3 2 1'])
    expect(await take('jobs', '--type build-report', 'cancel')).toEqual([
      3,
      'wf jobs cancel --type build-report --state waiting,running,available',
    ])
    expect(await take('jobs', '--state waiting', 'resolve')).toEqual([7, 'wf jobs retry --state waiting'])
  })

  it('passes by what would do harm again among jobs too, until it is taken by its key', async () => {
    const made = await outage()
    const state = await shown(made, { size, screen: 'jobs' }, filter('--state failed'))
    const { other } = asked(state, 'resolve')
    if (other === undefined) throw new Error('nothing is offered')
    const { targets, guarded } = await resolveTargets(made.source.reader, other, made.source.now())
    expect([targets.length, guarded.length]).toEqual([14, 3])
    const taken = {
      action: other,
      reason: '',
      amount: null,
      targets: guarded,
      guarded: [],
      takesGuarded: true,
    }
    expect(equivalentCommand(taken, '')).toBe('wf jobs retry 3 2 1')
  })

  it('offers nothing more where nothing narrows it, where something is marked, and where there is only one', async () => {
    const made = await outage()
    const narrowed = filter('--type build-report')
    const offers = async (...steps: readonly Step[]) =>
      asked(await shown(made, { size, screen: 'jobs' }, ...steps), 'cancel').other !== undefined
    expect(await offers(narrowed)).toBe(true)
    expect(await offers()).toBe(false)
    expect(await offers(narrowed, (state) => press(state, 'mark'))).toBe(false)
    expect(await offers(filter('--state waiting --type send-mail'))).toBe(false)
  })

  it('keeps the reason and the retries that were typed when it turns to the other', () => {
    const state = type(press(read(start({ screen: 'jobs' }), jobs(1, 2)), 'filter'), '--type mail', 'enter')
    const action = asked(read(state, jobs(1, 2)), 'resolve')
    const first = reduce(reduce(read(state, jobs(1, 2)), { type: 'proposed', id: 1, action }), {
      type: 'resolved',
      id: 1,
      targets: [],
      guarded: [],
    })
    const from = { reason: 'vendor is back', amount: 3 }
    expect(reduce(first, { type: 'proposed', id: 2, action, from }).overlay).toMatchObject({
      ...from,
      status: 'counting',
      targets: [],
    })
  })
})

describe('the key that turns to all', () => {
  it('is no command of its own: pressed beside the panel it changes nothing', () =>
    expect(commandOf('a')).toBe(null))
})
