import { describe, expect, it, vi } from 'vitest'
import type { HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { gate, testWorker } from './test-worker.ts'

const never = () => new Promise<never>(() => undefined)
const abortable = (_: unknown, { signal }: HandlerContext) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** What `promise` came to; undefined while it is open. */
function outcome<T>(promise: Promise<T>): { value?: T } {
  const seen: { value?: T } = {}
  void promise.then((value) => {
    seen.value = value
  })
  return seen
}

// A35
describe('draining', () => {
  it('lets ten running handlers end, five well and five badly, stores all ten, and starts nothing', async () => {
    const run = async (job: { variables: { ok: boolean } }) => {
      await t.clock.sleep(1_000)
      if (!job.variables.ok) throw new Error('no')
      return 'done'
    }
    const t = await testWorker({ handlers: [{ run, backoff: { strategy: 'fixed', delay: '1h' } }] })
    const keys: number[] = []
    for (let job = 0; job < 10; job++) keys.push(await t.add({ variables: { ok: job < 5 } }))
    t.worker.start()
    await t.rest()
    const late = await t.add()
    const drained = outcome(t.worker.drain({ graceMs: 30_000, abortInMs: 25_000 }))
    const finished = outcome(t.worker.finished)
    await t.clock.advance(500)
    expect(drained).toEqual({})
    await t.clock.advance(600)
    expect(drained).toHaveProperty('value')
    expect(finished).toEqual({ value: 'drained' })
    const states = await Promise.all(keys.map(async (key) => (await t.job(key)).state))
    expect(states).toEqual([...new Array(5).fill('completed'), ...new Array(5).fill('waiting')])
    expect((await t.job(late)).state).toBe('available')
    expect(await t.store.held('w#1')).toEqual([])
  })

  it('tells handlers to stop shortly before the end, and gives back what stops, at no retry', async () => {
    const t = await testWorker({ handlers: [{ run: abortable }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const drained = outcome(t.worker.drain({ graceMs: 30_000, abortInMs: 25_000 }))
    await t.clock.advance(24_999)
    expect(drained).toEqual({})
    await t.clock.advance(1)
    await t.rest()
    expect(drained).toHaveProperty('value')
    const { job, attempts } = await t.detail(key)
    expect(job).toMatchObject({ state: 'available', retries: 3, failures: 0, crashes: 0, attempt: 1 })
    expect(attempts.map((attempt) => attempt.outcome)).toEqual(['interrupted'])
  })

  it('gives back what does not listen at the end of the grace', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const drained = outcome(t.worker.drain({ graceMs: 10_000, abortInMs: 5_000 }))
    await t.clock.advance(9_999)
    expect(drained).toEqual({})
    await t.clock.advance(1)
    await t.rest()
    expect(drained).toHaveProperty('value')
    expect(await t.job(key)).toMatchObject({ state: 'available', retries: 3 })
  })

  it('again is the same end, and a shorter grace makes it sooner', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    await t.add()
    t.worker.start()
    await t.rest()
    const first = outcome(t.worker.drain({ graceMs: 60_000, abortInMs: 55_000 }))
    const second = outcome(t.worker.drain({ graceMs: 5_000, abortInMs: 2_500 }))
    const third = outcome(t.worker.drain({ graceMs: 90_000, abortInMs: 85_000 }))
    await t.clock.advance(5_000)
    await t.rest()
    for (const each of [first, second, third]) expect(each).toHaveProperty('value')
  })

  it('of an idle worker ends at once', async () => {
    const t = await testWorker({ handlers: [{ run: never }] })
    t.worker.start()
    await t.rest()
    await t.worker.drain({ graceMs: 30_000, abortInMs: 25_000 })
    expect(t.clock.pendingTimers).toBeLessThanOrEqual(1)
  })

  // B053
  it('ends in bounded time when the store takes nothing any more, and says so in one line', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    await t.add()
    t.worker.start()
    await t.rest()
    const exchange = t.engine.exchange
    t.engine.exchange = never
    const drained = outcome(t.worker.drain({ graceMs: 5_000, abortInMs: 2_500 }))
    await t.clock.advance(5_200)
    expect(drained).toHaveProperty('value')
    expect(t.log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringContaining('the store did not take 1 outcome'),
    ])
    t.engine.exchange = exchange
  })
})

describe('stopping', () => {
  it('gives everything back now', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    const keys = [await t.add(), await t.add()]
    t.worker.start()
    await t.rest()
    await t.worker.stop()
    for (const key of keys)
      expect(await t.job(key)).toMatchObject({ state: 'available', retries: 3, attempt: 1 })
    await t.worker.stop()
  })

  it('cuts a drain short', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    await t.add()
    t.worker.start()
    await t.rest()
    const drained = outcome(t.worker.drain({ graceMs: 60_000, abortInMs: 55_000 }))
    await t.worker.stop()
    expect(drained).toHaveProperty('value')
  })

  it('before it was started is an end too, and a start after it does nothing', async () => {
    const t = await testWorker({ handlers: [{ run: never }] })
    await t.worker.stop()
    t.worker.start()
    const key = await t.add()
    await t.clock.advance(5_000)
    expect((await t.job(key)).state).toBe('available')
  })
})

describe('a worker that hosts handlers that never end', () => {
  // A16 B062
  it('goes on after each timeout, and leaves to be replaced when as many are abandoned as it has slots', async () => {
    const t = await testWorker({
      handlers: [{ concurrency: 2, timeout: '1s', backoff: { strategy: 'fixed', delay: '1h' }, run: never }],
    })
    const keys = [await t.add(), await t.add(), await t.add()]
    t.worker.start()
    const finished = outcome(t.worker.finished)
    await t.clock.advance(1_000)
    await t.rest()
    expect(finished).toEqual({ value: 'abandoned' })
    for (const key of keys.slice(0, 2)) {
      const { job, attempts } = await t.detail(key)
      expect(job).toMatchObject({ state: 'waiting', retries: 2, failures: 1 })
      expect(attempts).toMatchObject([{ outcome: 'fail', failureCategory: 'timeout' }])
    }
    expect((await t.job(keys[2] ?? 0)).state).toBe('available')
  })

  // B062
  it('with default settings runs the good jobs behind a bad one, at concurrency 1 in one process', async () => {
    const run = (job: { variables: { bad?: boolean } }) => (job.variables.bad ? never() : 'good')
    const t = await testWorker({ handlers: [{ concurrency: 1, run }], isolated: false })
    const bad = await t.add({ variables: { bad: true }, priority: 1 })
    const good: number[] = []
    for (let job = 0; job < 10; job++) good.push(await t.add())
    t.worker.start()
    await t.clock.advance(5 * 60_000)
    await t.rest()
    for (const key of good) expect((await t.job(key)).state).toBe('completed')
    expect(await t.job(bad)).toMatchObject({ failures: 1, retries: 2 })
    expect(t.messages().filter((message) => message.includes('never ended'))).toHaveLength(1)
  })

  it('lets the others end before it leaves', async () => {
    const door = gate<string>()
    const run = (job: { variables: { bad?: boolean } }) => (job.variables.bad ? never() : door.passed)
    const t = await testWorker({
      handlers: [
        { type: 'bad', concurrency: 1, timeout: '1s', run },
        { type: 'good', concurrency: 1, run },
      ],
      concurrency: 1,
    })
    await t.add({ type: 'bad', variables: { bad: true } })
    t.worker.start()
    const finished = outcome(t.worker.finished)
    await t.clock.advance(1_000)
    await t.rest()
    expect(finished).toEqual({ value: 'abandoned' })
  })
})

// B056
describe('an error that no handler caught', () => {
  it('is told once with what was running, counted, and ends the worker after its jobs', async () => {
    const door = gate<string>()
    const counted: unknown[] = []
    const t = await testWorker({ handlers: [{ run: () => door.passed }] })
    t.events.on('counted', (count) => counted.push(count))
    const keys = [await t.add(), await t.add()]
    t.worker.start()
    await t.rest()
    const finished = outcome(t.worker.finished)
    t.worker.panic(null)
    const late = await t.add()
    await t.rest()
    expect(finished).toEqual({})
    door.open('fine')
    await t.rest()
    expect(finished).toEqual({ value: 'panic' })
    for (const key of keys) expect((await t.job(key)).state).toBe('completed')
    expect((await t.job(late)).state).toBe('available')
    expect(counted).toEqual([{ metric: 'wf_worker_panics_total', labels: { type: 'mail' }, value: 1 }])
    const [line] = t.log.lines.filter(({ level }) => level === 'error')
    expect(line?.message).toContain(`running: mail #${keys[0]}, mail #${keys[1]}`)
    expect(line?.message).toContain('null was thrown')
  })

  it('is told with the jobs that ended last when nothing was running', async () => {
    const t = await testWorker({
      handlers: [
        { type: 'a', run: async () => 1 },
        { type: 'b', run: async () => 1 },
      ],
    })
    const counted: unknown[] = []
    t.events.on('counted', (count) => counted.push(count))
    const key = await t.add({ type: 'b' })
    t.worker.start()
    await t.rest()
    t.worker.panic(new TypeError('late'))
    expect(await t.worker.finished).toBe('panic')
    expect(t.messages().at(-1)).toContain(
      `no handler was running; the last that ended: b #${key}): TypeError: late`,
    )
    expect(counted).toMatchObject([{ labels: { type: 'b' } }])
  })

  it('does not wait for ever for what runs', async () => {
    const t = await testWorker({ handlers: [{ run: never, timeout: '1h' }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const finished = outcome(t.worker.finished)
    for (let error = 0; error < 1_000; error++) t.worker.panic(new Error('again'))
    await t.clock.advance(30_000)
    await t.rest()
    expect(finished).toEqual({ value: 'panic' })
    expect(await t.job(key)).toMatchObject({ state: 'available', retries: 3 })
    expect(t.log.lines.filter(({ level }) => level === 'error')).toHaveLength(5)
  })
})

describe('maxJobs', () => {
  it('takes that many and leaves when they are done', async () => {
    const run = vi.fn(async () => undefined)
    const t = await testWorker({ handlers: [{ run }], maxJobs: 7 })
    for (let job = 0; job < 20; job++) await t.add()
    t.worker.start()
    expect(await t.worker.finished).toBe('max_jobs')
    expect(run).toHaveBeenCalledTimes(7)
    expect(t.worker.settledCount).toBe(7)
    expect(await t.store.held('w#1')).toEqual([])
  })
})

describe('maxJobs with handlers that start slowly', () => {
  it('still runs all that it has taken', async () => {
    const run = vi.fn(() => t.clock.block(10))
    const t = await testWorker({ handlers: [{ run }], maxJobs: 7 })
    for (let job = 0; job < 20; job++) await t.add()
    t.worker.start()
    expect(await t.worker.finished).toBe('max_jobs')
    expect(run).toHaveBeenCalledTimes(7)
  })
})

describe('suspects', () => {
  const suspect = async (t: Awaited<ReturnType<typeof testWorker>>, type = 'mail') => {
    const key = await t.add({ type })
    await t.join('dead#1')
    for (let loss = 0; loss < 2; loss++) {
      const [job] = await t.claim({ type, workerId: 'dead#1' })
      if (!job) throw new Error('not claimed')
      await t.settle(job, { kind: 'lost', reason: 'worker_died', detail: 'killed' })
      await t.clock.advance(1_000)
    }
    return key
  }

  it('are left to the quarantine by a worker that has one beside it', async () => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    const key = await suspect(t)
    t.worker.start()
    await t.clock.advance(60_000)
    expect(await t.job(key)).toMatchObject({ crashes: 2, attempt: 2 })
  })

  it('run one at a time in a quarantine, which takes nothing else', async () => {
    let most = 0
    let now = 0
    const run = async () => {
      most = Math.max(most, ++now)
      await t.clock.sleep(10)
      now--
    }
    const t = await testWorker({ handlers: [{ run }], suspects: true })
    const keys = [await suspect(t), await suspect(t), await suspect(t)]
    const usual = await t.add()
    t.worker.start()
    await t.clock.advance(1_000)
    for (const key of keys) expect((await t.job(key)).state).toBe('completed')
    expect((await t.job(usual)).state).toBe('available')
    expect(most).toBe(1)
  })

  it('run alone where there is no quarantine, in a quiet moment', async () => {
    const beside: number[] = []
    const run = async (job: { type: string }) => {
      if (job.type === 'killer') beside.push(t.worker.running.length)
      await t.clock.sleep(100)
    }
    const t = await testWorker({
      handlers: [
        { type: 'killer', run },
        { type: 'usual', run },
      ],
      isolated: false,
    })
    const key = await suspect(t, 'killer')
    for (let job = 0; job < 30; job++) await t.add({ type: 'usual' })
    t.worker.start()
    await t.clock.advance(5_000)
    await t.rest()
    expect((await t.job(key)).state).toBe('completed')
    expect(beside).toEqual([1])
    expect(t.worker.settledCount).toBe(31)
  })

  it('are not starved where there is no quiet moment: after ten seconds the others wait', async () => {
    const beside: number[] = []
    const run = async (job: { type: string }) => {
      if (job.type === 'killer') beside.push(t.worker.running.length)
      else await t.add({ type: 'usual' })
      await t.clock.sleep(100 + Math.floor(job.type.length))
    }
    const t = await testWorker({
      handlers: [
        { type: 'killer', run },
        { type: 'usual', concurrency: 3, run },
      ],
      isolated: false,
    })
    const key = await suspect(t, 'killer')
    for (let job = 0; job < 3; job++) {
      await t.add({ type: 'usual' })
      await t.clock.advance(30)
    }
    t.worker.start()
    await t.clock.advance(9_000)
    const before = (await t.job(key)).state
    await t.clock.advance(4_000)
    expect((await t.job(key)).state).toBe('completed')
    expect(beside).toEqual([1])
    const settled = t.worker.settledCount
    await t.clock.advance(1_000)
    expect(t.worker.settledCount).toBeGreaterThan(settled + 10)
    expect(['available', 'completed']).toContain(before)
    await t.worker.stop()
    await t.clock.advance(1_000)
  })
})
