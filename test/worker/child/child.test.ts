import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSizes } from '../../../src/domain/job.ts'
import { seededRandom } from '../../../src/random.ts'
import type { ChildChannel } from '../../../src/worker/child/channel.ts'
import { Child, type ChildOptions } from '../../../src/worker/child/child.ts'
import type { AnyHandler } from '../../../src/worker/handler/define-handler.ts'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import type { ChildSetup, ToChild, ToSupervisor } from '../../../src/worker/ipc.ts'
import { testEngine, type TestEngine } from '../../support/test-engine.ts'

/** The supervisor's end of a channel, played by the test. */
class FakeChannel implements ChildChannel {
  readonly said: ToSupervisor[] = []
  tell: (message: ToChild) => void = () => {}
  gone: () => void = () => {}

  async send(message: ToSupervisor): Promise<void> {
    this.said.push(structuredClone(message))
  }
  onMessage(listener: (message: ToChild) => void): void {
    this.tell = listener
  }
  onGone(listener: () => void): void {
    this.gone = listener
  }
  heard<K extends ToSupervisor['kind']>(kind: K): Extract<ToSupervisor, { kind: K }>[] {
    return this.said.filter((message): message is Extract<ToSupervisor, { kind: K }> => message.kind === kind)
  }
}

interface Playing extends TestEngine {
  channel: FakeChannel
  child: Child
  exits: number[]
  setUp(setup?: Partial<ChildSetup>): Promise<void>
}

async function playing(run: AnyHandler['run'], options: Partial<ChildOptions> = {}): Promise<Playing> {
  const test = await testEngine()
  const { clock } = test
  const channel = new FakeChannel()
  const exits: number[] = []
  // Closing the store is the test's own business: others still look into it.
  const store = Object.assign(Object.create(test.store), { close: async () => {} }) as typeof test.store
  const handler = normaliseHandler({ type: 'mail', timeout: '60s', run })
  const child = new Child({
    channel,
    clock,
    random: seededRandom(1),
    load: async () => new Map([['mail', handler]]),
    openStore: async () => store,
    upkeep: () => [],
    watchParent: () => {},
    exit: (code) => exits.push(code),
    ...options,
  })
  const setUp = async (setup: Partial<ChildSetup> = {}) => {
    const usual: ChildSetup = {
      files: ['/mail.ts'],
      workerId: 'w#1',
      types: [],
      concurrency: null,
      maxJobs: null,
      suspects: false,
      location: 'x',
      logLevel: 'info',
      loadMs: 30_000,
      sizes: defaultSizes,
    }
    channel.tell({ kind: 'setup', setup: { ...usual, ...setup } })
    await clock.settle()
    if (channel.heard('ready').length > 0) await test.join('w#1')
  }
  onTestFinished(async () => {
    channel.tell({ kind: 'stop' })
    await clock.advance(10_000)
  })
  return { ...test, channel, child, exits, setUp }
}

describe('a child', () => {
  it('loads, says what it handles, and claims only when it is told to go', async () => {
    const { add, channel, clock, detail, setUp } = await playing(() => 'done')
    const key = await add()
    await setUp()
    expect(channel.heard('ready')).toMatchObject([
      { types: [{ type: 'mail', timeoutMs: 60_000, concurrency: 10 }], concurrency: 10 },
    ])
    expect((await detail(key)).job.attempt).toBe(0)
    channel.tell({ kind: 'go' })
    await clock.advance(1000)
    expect((await detail(key)).job.state).toBe('completed')
    expect(channel.heard('outcomes')).toMatchObject([{ counts: { completed: 1 } }])
    expect(channel.heard('log')).toMatchObject([{ level: 'info', fields: { job: key, outcome: 'success' } }])
  })

  it('answers pings', async () => {
    const { channel, setUp } = await playing(() => {})
    await setUp()
    channel.tell({ kind: 'ping', id: 7 })
    expect(channel.heard('pong')).toEqual([{ kind: 'pong', id: 7 }])
  })

  it.each([
    ['a module that throws', async () => Promise.reject(new Error('line 3: no')), 'line 3: no'],
    ['a module that never ends', () => new Promise<never>(() => {}), 'took longer than 30 s'],
    // B065
  ])('says why it cannot load: %s', async (_what, load, why) => {
    const { channel, clock, exits, setUp } = await playing(() => {}, { load })
    await setUp()
    await clock.advance(30_000)
    expect(channel.heard('load_failed')).toMatchObject([
      { code: 'handler_load_failed', message: expect.stringContaining(why) },
    ])
    expect(exits).toEqual([1])
  })

  // B065
  it('takes an error that nobody caught while it loads for a failure to load', async () => {
    const { channel, child, exits, clock, setUp } = await playing(() => {}, {
      load: () => new Promise<never>(() => {}),
    })
    await setUp()
    child.panic(Object.assign(new Error('loose'), { stack: 'Error: loose\n    at run (/shop/mail.ts:7:3)' }))
    await clock.settle()
    expect(channel.heard('load_failed')).toMatchObject([
      {
        code: 'handler_load_failed',
        message: expect.stringMatching(/mail\.ts:7:3\nit threw while it was loading: loose$/),
      },
    ])
    await clock.advance(30_000)
    expect(exits).toEqual([1])
  })

  // B068
  it('refuses types that it has no handler for', async () => {
    const { channel, setUp } = await playing(() => {})
    await setUp({ types: ['mail', 'emial'] })
    expect(channel.heard('load_failed')).toMatchObject([
      { message: expect.stringContaining('"emial"'), hint: expect.stringContaining('mail') },
    ])
  })

  // A35
  it('drains: lets the handler finish, says goodbye and ends with 0', async () => {
    let finish = () => {}
    const { add, channel, clock, detail, exits, setUp } = await playing(
      () => new Promise<void>((resolve) => (finish = resolve)),
    )
    const key = await add()
    await setUp()
    channel.tell({ kind: 'go' })
    await clock.advance(100)
    channel.tell({ kind: 'drain', graceMs: 30_000, abortInMs: 25_000 })
    await clock.advance(1000)
    expect(exits).toEqual([])
    finish()
    await clock.advance(1000)
    expect((await detail(key)).job.state).toBe('completed')
    expect(channel.heard('outcomes')).toMatchObject([{ counts: { completed: 1 } }])
    expect(channel.said.at(-1)).toMatchObject({ kind: 'leaving', reason: 'drained', exitCode: 0 })
    expect(exits[0]).toBe(0)
  })

  // B050
  it('gives everything back at once when it is told to stop', async () => {
    const { add, channel, clock, detail, exits, setUp } = await playing(() => new Promise(() => {}))
    const key = await add()
    await setUp()
    channel.tell({ kind: 'go' })
    await clock.advance(100)
    channel.tell({ kind: 'stop' })
    await clock.advance(600)
    expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 0, retries: 3 })
    expect(exits[0]).toBe(0)
  })

  // B051
  it('aborts, gives back and ends within five seconds when its supervisor is gone', async () => {
    const { add, channel, clock, detail, exits, setUp } = await playing(() => new Promise(() => {}))
    const key = await add()
    await setUp()
    channel.tell({ kind: 'go' })
    await clock.advance(100)
    channel.gone()
    await clock.advance(5000)
    expect((await detail(key)).job).toMatchObject({ state: 'available', crashes: 0 })
    expect(exits[0]).toBe(1)
  })

  // B051
  it('ends at once when the supervisor is gone before it has loaded', async () => {
    const { channel, exits } = await playing(() => {})
    channel.gone()
    expect(exits).toEqual([1])
  })

  // B056
  it('leaves with the reason when an error was caught by nobody', async () => {
    const { channel, child, clock, exits, setUp } = await playing(() => {})
    await setUp()
    channel.tell({ kind: 'go' })
    child.panic(new Error('loose'))
    await clock.advance(1000)
    expect(channel.heard('leaving')).toMatchObject([{ reason: 'panic', exitCode: 1 }])
    expect(exits[0]).toBe(1)
  })

  // B077
  it('claims nothing between a fence and the next renewal', async () => {
    const { add, channel, clock, detail, setUp } = await playing(() => {})
    await setUp()
    channel.tell({ kind: 'go' })
    channel.tell({ kind: 'fence' })
    const key = await add()
    await clock.advance(5000)
    expect((await detail(key)).job.attempt).toBe(0)
    channel.tell({ kind: 'held', attempts: [], leaseLeftMs: 30_000 })
    await clock.advance(1000)
    expect((await detail(key)).job.state).toBe('completed')
  })

  // B064
  it('fences itself when it hears of no renewal until its lease is over', async () => {
    const { add, channel, clock, detail, setUp } = await playing(() => {})
    await setUp()
    channel.tell({ kind: 'go' })
    channel.tell({ kind: 'held', attempts: [], leaseLeftMs: 5000 })
    await clock.advance(6000)
    const key = await add()
    await clock.advance(5000)
    expect((await detail(key)).job.attempt).toBe(0)
  })
})
