import { describe, expect, it } from 'vitest'
import { reduce } from '../../src/tui/reduce.ts'
import { actionOf } from '../../src/tui/action.ts'
import { type Action, queryOf, type State } from '../../src/tui/state.ts'
import { readFirst } from '../../src/tui/read-snapshot.ts'
import { outage, shown, textOf } from './support/outage.ts'
import { incident, jobs, noon, press, read, start, type } from './support/scene.ts'

const action: Action = {
  of: 'jobs',
  verb: 'resolve',
  list: 'incidents',
  selector: { types: ['a-long-type-name', 'another-long-name'], fingerprints: ['e30dd8501343ffa2'] },
}
const targets = ['mail', 'sms', 'fax', 'post'].map((type, key) => ({ key, type, kind: 'raised' }))
const guarded = [{ key: 9, type: 'mail', kind: 'poison_message' }]

function asked(columns: number, rows: number): State {
  const state = read(start({ screen: 'incidents', size: { columns, rows } }), [incident(1)])
  return reduce(reduce(state, { type: 'proposed', id: 1, action }), {
    type: 'resolved',
    id: 1,
    targets,
    guarded,
  })
}

describe('the panel before a change', () => {
  it('says how many and which keys decide, however little room there is, and marks a command that is cut', () => {
    for (let rows = 10; rows < 40; rows++) {
      for (const columns of [40, 60, 80, 120]) {
        const text = textOf(asked(columns, rows))
        expect(text).toMatch(/│ 4 jobs/)
        expect(text).toMatch(/y or Enter confirms/)
        const command = text.slice(text.indexOf('wf incidents'))
        if (text.includes('wf incidents'))
          expect(command.includes('e30dd8501343ffa2') || command.includes('…')).toBe(true)
      }
    }
    expect(textOf(asked(80, 24))).toMatch(/e30dd8501343ffa2/)
  })

  it('says what of the chosen ones is gone, and how much of a command has no room', () => {
    const keys = Array.from({ length: 3_000 }, (_, index) => 1_000 + index)
    const named: Action = {
      of: 'jobs',
      verb: 'resolve',
      list: 'incidents',
      selector: { keys: [0, 1, 2, 3, 8, 9] },
    }
    const gone = reduce(reduce(asked(80, 24), { type: 'proposed', id: 2, action: named }), {
      type: 'resolved',
      id: 2,
      targets,
      guarded: [],
    })
    expect(textOf(gone)).toMatch(/│ 4 jobs; 2 of the selected jobs no longer match/)
    const command = `wf incidents resolve ${keys.join(' ')}`
    for (const rows of [10, 16, 24, 50]) {
      const text = textOf(
        reduce(asked(60, rows), {
          type: 'overlaid',
          overlay: { kind: 'copy', command, copied: false, under: null },
        }),
      )
      const [, left] = /… ([\d,]+) more characters, copied too/.exec(text) ?? []
      const read = [...text.matchAll(/\b[1-3]\d{3}\b/g)].at(-1)?.[0] ?? ''
      expect(Number(left?.replace(',', ''))).toBe(
        command.length - command.indexOf(` ${read} `) - ` ${read} `.length,
      )
      expect(text).toMatch(/y copies it through the terminal/)
    }
  })

  it('takes the place of what was refused before', () => {
    const told = reduce(asked(80, 24), {
      type: 'noticed',
      notice: { text: 'choose a job first', tone: 'bad', at: noon },
    })
    expect(reduce(told, { type: 'proposed', id: 2, action }).notice).toBe(null)
    expect(press({ ...told, overlay: null }, 'down').notice).toBe(null)
  })
})

describe('what stands still', () => {
  it('is all of a frozen screen, its ages too, but for how long it has been frozen', () => {
    const frozen = press(read(start({ screen: 'jobs' }), jobs(7)), 'freeze')
    const later = reduce(frozen, { type: 'ticked', now: frozen.now + 4_000 })
    expect(textOf(frozen)).toMatch(/backoff +5s/)
    expect(textOf(later)).toMatch(/backoff +5s/)
    expect(textOf(later)).toMatch(/FROZEN 4s/)
    expect(textOf(press(later, 'freeze'))).toMatch(/backoff +1s/)
  })

  it('is what was read of one job, until the next is read; of another list nothing', async () => {
    const state = await shown(await outage(), { size: { columns: 140, rows: 30 }, screen: 'jobs' })
    expect(textOf(state)).toMatch(/ {2}enqueued /)
    const next = textOf(press(state, 'down'))
    expect(next).toContain('reading …')
    expect(next).toMatch(/ {2}enqueued /)
    // Opened, it is what is acted on: there is no other one to look at.
    expect(textOf(press(state, 'down', 'open'))).not.toMatch(/ {2}enqueued /)
  })
})

describe('a filter that cannot be read', () => {
  it('is told on a line of its own, so that there is room for what would be right', () => {
    const state = type(
      press(read(start({ screen: 'jobs', size: { columns: 80, rows: 24 } }), jobs(1)), 'filter'),
      '--state done',
      'enter',
    )
    const [prompt, why] = textOf(state).split('\n').slice(-2)
    expect(prompt).toBe(' / --state done█')
    expect(why).toMatch(/^ --state "done" is none of available, waiting, running, /)
    expect(textOf(type(state, 'x'))).not.toMatch(/is none of/)
  })
})

describe('the very first frames', () => {
  it('say how many incidents there are before anything is counted, and pause nothing of which they do not know whether it is', async () => {
    const { source } = await outage()
    const size = { columns: 120, rows: 30 }
    const state = start({ size, now: source.now() })
    const first = await readFirst(source, queryOf(state))
    if (first === null) throw new Error('nothing can be shown')
    const early = reduce(state, { type: 'read', snapshot: first })
    expect(textOf(early)).toMatch(/▲ 17 incidents[\s\S]*▸? +14 +↑ +charge-payment[\s\S]*TYPES {2}counting …/)
    expect(actionOf(press(early, 'down'), 'pause')).toMatch(/still being read/)
    expect(textOf(await shown({ source }, { size }))).not.toMatch(/counting …/)
  })
})

describe('the keys', () => {
  it('offers at the bottom only what means something there', async () => {
    const help = (state: State) => textOf(state).split('\n').at(-1) ?? ''
    const size = { columns: 200, rows: 30 }
    const causes = await shown(await outage(), { size, screen: 'incidents' })
    expect(help(causes)).toMatch(/R resolve/)
    expect(help(causes)).not.toMatch(/E edit|e explain/)
    expect(help(read(start({ size, screen: 'jobs' }), jobs(1)))).toMatch(/E edit .*e explain/)
    expect(help(read(start({ size, screen: 'jobs', readOnly: true }), jobs(1)))).not.toMatch(
      /R resolve|X cancel|U undo/,
    )
  })

  it('are all told whole on the help screen, in two columns where they fit', () => {
    for (const columns of [60, 100, 110, 120, 200]) {
      const text = textOf(press(start({ size: { columns, rows: 60 } }), 'help'))
      expect(text).not.toContain('…')
      expect(text).toContain('mark all rows, or none')
    }
  })
})
