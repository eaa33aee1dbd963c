/** What becomes of a run whose store is gone for good: it ends, soon, whatever its processes are doing. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSizes } from '../../../src/domain/job.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { WfError } from '../../../src/errors.ts'
import { seededRandom } from '../../../src/random.ts'
import { Supervisor } from '../../../src/worker/supervisor/supervisor.ts'
import { FakeChild } from '../../support/fake-children.ts'
import { testEngine } from '../../support/test-engine.ts'

const replaced = new WfError('store_replaced', 'the store was replaced')

/** A supervisor whose store is replaced when `replace` is called; from then on nothing can be read or written. */
async function supervised() {
  const { store: opened, engine, clock, log } = await testEngine()
  const children: FakeChild[] = []
  let gone = false
  const refusing = new Proxy(opened, {
    get(store, name) {
      const given: unknown = Reflect.get(store, name)
      if (typeof given !== 'function' || ['now', 'watch', 'close'].includes(String(name))) return given
      return (...args: unknown[]): unknown => (gone ? Promise.reject(replaced) : given.apply(store, args))
    },
  })
  const supervisor = new Supervisor({
    engine: createEngine({ store: refusing, random: seededRandom(1), events: engine.events }),
    clock,
    log,
    fork() {
      const child = new FakeChild(children.length + 1)
      children.push(child)
      return child
    },
    label: 'w',
    host: 'test',
    setup: {
      files: ['/h.ts'],
      types: [],
      concurrency: null,
      maxJobs: null,
      loadMs: 30_000,
      location: 'x',
      logLevel: 'info',
      sizes: defaultSizes,
    },
    lease: { leaseMs: 30_000, renewMs: 10_000 },
    upkeep: [],
    processes: 2,
    graceMs: 30_000,
    hangMs: 10_000,
    isEmpty: null,
    patient: false,
    place: './wf.db',
  })
  const run: { ended: unknown } = { ended: undefined }
  const end = supervisor.run().then(
    () => expect.unreachable(),
    (error: unknown) => {
      run.ended = error
    },
  )
  onTestFinished(() => end)
  await clock.settle()
  const replace = () => {
    gone = true
  }
  return {
    clock,
    log,
    children,
    supervisor,
    run,
    replace,
    words: () => log.lines.filter(({ message }) => message.includes('replaced')),
  }
}

describe('a run whose store is lost', () => {
  it('fences its children, stops them at once, and ends with the reason, said once', async () => {
    const { clock, children, run, replace, words } = await supervised()
    for (const child of children) child.loads()
    await clock.advance(3_000)
    expect(children.map((child) => child.heard('go').length)).toEqual([1, 1])
    replace()
    await clock.advance(1_000)
    for (const { told } of children)
      expect(told.map(({ kind }) => kind).filter((kind) => kind === 'fence' || kind === 'stop')).toEqual([
        'fence',
        'stop',
      ])
    for (const child of children) child.leaves('drained')
    await clock.advance(1_500)
    expect(run.ended).toBe(replaced)
    expect(words()).toHaveLength(1)
    expect(children).toHaveLength(2)
  })

  it('kills children that do not listen', async () => {
    const { clock, children, run, replace } = await supervised()
    for (const child of children) child.loads()
    await clock.advance(3_000)
    replace()
    await clock.advance(2_500)
    expect(children.map(({ killed }) => killed)).toEqual([true, true])
    expect(run.ended).toBe(replaced)
  })

  it('does not wait for children that load, nor for rows that wait to be made', async () => {
    const { clock, children, run, replace } = await supervised()
    replace()
    children[0]?.loads()
    await clock.advance(3_000)
    expect(run.ended).toBe(replaced)
  })

  it('does not wait for the end of a grace that was given before', async () => {
    const { clock, children, run, replace, supervisor } = await supervised()
    for (const child of children) child.loads()
    await clock.advance(3_000)
    supervisor.drain()
    await clock.advance(1_000)
    replace()
    await clock.advance(3_000)
    expect(children.map((child) => child.heard('stop').length)).toEqual([1, 1])
    expect(run.ended).toBe(replaced)
  })
})
