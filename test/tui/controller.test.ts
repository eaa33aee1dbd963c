import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createController, type ControllerParts } from '../../src/tui/controller.ts'
import { reduce } from '../../src/tui/reduce.ts'
import type { State } from '../../src/tui/state.ts'
import { jobs, press, read, start } from './support/scene.ts'

function controlled(from: State) {
  let state = from
  const done: string[] = []
  const outside = (what: string) => () => void done.push(what)
  const parts = {
    desk: {
      state: () => state,
      dispatch(event: Parameters<ControllerParts['desk']['dispatch']>[0]) {
        state = reduce(state, event)
      },
    },
    ...{ clock: systemClock, who: 'ann', poke: () => {} },
    outside: { quit: outside('quit'), suspend: outside('suspend'), redraw: outside('redraw'), copy: outside('copy') },
  }
  const { press: hit } = createController(parts as unknown as ControllerParts)
  return { done, hit, state: () => state }
}

const listed = read(start({ screen: 'jobs' }), jobs(3))

describe('keys of the terminal', () => {
  it.each([
    ['a panel', reduce(listed, { type: 'asked', id: 1, plan: { of: 'type', verb: 'pause', type: 'mail' } })],
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
