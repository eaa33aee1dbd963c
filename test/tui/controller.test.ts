import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createController, type ControllerParts } from '../../src/tui/controller.ts'
import { pasteMark } from '../../src/tui/key-names.ts'
import { reduce } from '../../src/tui/reduce.ts'
import type { State } from '../../src/tui/state.ts'
import { jobs, press, read, start } from './support/scene.ts'

function controlled(from: State) {
  let state = from
  const done: string[] = []
  const copied: string[] = []
  const outside = (what: string) => (text?: string) => {
    done.push(what)
    if (text !== undefined) copied.push(text)
  }
  const parts = {
    stateStore: {
      state: () => state,
      dispatch(event: Parameters<ControllerParts['stateStore']['dispatch']>[0]) {
        state = reduce(state, event)
      },
    },
    ...{ clock: systemClock, who: 'ann', poke: () => {} },
    outside: {
      quit: outside('quit'),
      suspend: outside('suspend'),
      redraw: outside('redraw'),
      copy: outside('copy'),
    },
  }
  const { press: hit } = createController(parts as unknown as ControllerParts)
  return { done, copied, hit, state: () => state }
}

const listed = read(start({ screen: 'jobs' }), jobs(3))

describe('keys of the terminal', () => {
  it.each([
    [
      'a panel',
      reduce(listed, { type: 'proposed', id: 1, action: { of: 'type', verb: 'pause', type: 'mail' } }),
    ],
    ['help', press(listed, 'help')],
    ['a prompt', press(listed, 'filter')],
    ['nothing', listed],
  ])('go to the shell and draw anew over %s, and leave it there', (_, from) => {
    const { done, hit, state } = controlled(from)
    hit('ctrl-z')
    hit('ctrl-l')
    expect(done).toEqual(['suspend', 'redraw'])
    expect(state().overlay).toEqual(from.overlay)
  })
})

// F27
describe('pasted text', () => {
  const text = `${pasteMark}RyXyq`

  it.each([
    ['a list', listed],
    ['help', press(listed, 'help')],
    [
      'a panel',
      reduce(listed, { type: 'proposed', id: 1, action: { of: 'type', verb: 'pause', type: 'mail' } }),
    ],
  ])('does nothing on %s', (_, from) => {
    const { done, hit, state } = controlled(from)
    hit(text)
    expect([done, state()]).toEqual([[], from])
  })

  it('goes into a text field, whatever letters it has', () => {
    const { hit, state } = controlled(press(listed, 'filter'))
    hit(text)
    hit(`${pasteMark}enter`)
    expect(state().overlay).toMatchObject({ text: 'RyXyqenter' })
  })
})

describe('the command of a panel', () => {
  const keys = Array.from({ length: 30 }, (_, index) => 100_000 + index)
  const action = { of: 'jobs', verb: 'retry', list: 'jobs', selector: { keys } } as const
  const targets = keys.map((key) => ({ key, type: 'mail', kind: 'waiting' }))
  const asked = reduce(reduce(listed, { type: 'proposed', id: 1, action }), {
    type: 'resolved',
    id: 1,
    targets,
    guarded: [],
  })

  it('is copied whole, and leaves the panel as it was', () => {
    const { done, hit, state, copied } = controlled(asked)
    hit('c')
    expect(state().overlay).toMatchObject({ kind: 'copy', command: `wf jobs retry ${keys.join(' ')}` })
    hit('y')
    expect([done, copied]).toEqual([['copy'], [`wf jobs retry ${keys.join(' ')}`]])
    hit('esc')
    expect(state().overlay).toEqual(asked.overlay)
  })

  it('is typed into a reason like any other letter', () => {
    const { hit, state } = controlled(asked)
    for (const key of ['r', 'c', 'a']) hit(key)
    expect(state().overlay).toMatchObject({ kind: 'confirm', reason: 'ca' })
  })
})
