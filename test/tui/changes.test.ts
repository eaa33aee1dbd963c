import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { Changes, type ChangesParts } from '../../src/tui/changes.ts'
import { reduce } from '../../src/tui/reduce.ts'
import { jobs, read, start } from './support/scene.ts'

const stored = JSON.stringify({ amount: 7, password: 'hunter2' })

/** The dashboard with one waiting job, and an editor that does what each of `edits` says. */
function editing(...edits: readonly ((text: string) => string)[]) {
  let state = read(start({ screen: 'jobs' }), jobs(3))
  let heard = () => {}
  const stateStore: ChangesParts['stateStore'] = {
    state: () => state,
    dispatch(event) {
      state = reduce(state, event)
      heard()
    },
    subscribe: () => () => {},
    close: () => {},
  }
  const seen: string[] = []
  let variables = stored
  const reader = { job: async () => ({ variables }), jobs: async () => ({ items: [], next: null }) }
  const changes = new Changes({
    ...{
      stateStore,
      clock: systemClock,
      who: 'ann',
      poke: () => {},
      openEngine: () => Promise.reject(new Error('nothing is changed here')),
    },
    source: { reader, now: () => 0 } as unknown as ChangesParts['source'],
    outside: {
      edit(text) {
        seen.push(text)
        return edits[seen.length - 1]?.(text) ?? text
      },
    },
  })
  const edit = async () => {
    const told = new Promise<void>((resolve) => {
      heard = resolve
    })
    changes.ask('edit')
    await told
    return state
  }
  const store = (text: string) => {
    variables = text
  }
  return { seen, edit, store }
}

describe('editing variables', () => {
  it('hides secrets from the editor, and offers only what was changed', async () => {
    const { seen, edit } = editing((text) => text.replace('7', '8'))
    const { overlay } = await edit()
    expect(seen[0]).not.toContain('hunter2')
    expect(overlay).toMatchObject({
      kind: 'confirm',
      action: { verb: 'retry', set: [{ path: 'amount', value: 8, add: false }] },
    })
  })

  it('opens a text that could not be taken as it was left, until the job has other variables', async () => {
    const broken = '{ "amount": 9, '
    const { seen, edit, store } = editing(() => broken)
    expect((await edit()).notice?.text).toMatch(/E opens it again as you left it/)
    await edit()
    expect(seen[1]).toBe(broken)
    store('{"amount":1}')
    await edit()
    expect(seen[2]).toBe('{\n  "amount": 1\n}\n')
  })
})
