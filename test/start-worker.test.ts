import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openStore } from '../src/app.ts'
import { openClient } from '../src/client.ts'
import { loggerOf } from '../src/logger.ts'
import { startWorker, type StartWorkerOptions } from '../src/start-worker.ts'
import { defineHandler } from '../src/worker/handler/define-handler.ts'
import { capturedLog } from './support/captured-log.ts'
import { temporaryDirectory } from './support/open-test-store.ts'
import { gate } from './worker/test-worker.ts'

const silent = loggerOf(() => undefined)

async function place() {
  const store = join(temporaryDirectory(), 'wf.db')
  const client = await openClient({ store })
  onTestFinished(() => client.close())
  const reader = await openStore({ location: store, mode: 'read' })
  onTestFinished(() => reader.close())
  return { store, client, labels: async () => (await reader.workers(reader.now())).map(({ label }) => label) }
}

describe('startWorker', () => {
  it('runs jobs inside the program that calls it, until it is drained', async () => {
    const { store, client, labels } = await place()
    const double = defineHandler({
      type: 'double',
      run: async (job) => ({ twice: Number(job.variables['n']) * 2 }),
    })
    const worker = await startWorker({ store, handlers: [double], log: silent })
    const job = await client.enqueue('double', { n: 21 })
    expect(await job.wait()).toMatchObject({ state: 'completed', result: { twice: 42 } })
    expect(await labels()).toEqual(['embedded'])
    await worker.drain()
    expect(await labels()).toEqual([])
    await worker.stop()
  })

  it('gives back at once what runs when it is stopped, also in the middle of a drain', async () => {
    const { store, client } = await place()
    const started = gate<void>()
    const stuck = defineHandler({
      type: 'stuck',
      run() {
        started.open()
        return new Promise<never>(() => undefined)
      },
    })
    const worker = await startWorker({ store, handlers: [stuck], log: silent, name: 'web' })
    const job = await client.enqueue('stuck', {})
    await started.passed
    const drained = worker.drain()
    await worker.stop()
    await drained
    expect((await client.jobs.job(job.key))?.job).toMatchObject({
      state: 'available',
      retries: 3,
      attempt: 1,
    })
  })

  it('stops its handlers and takes no more when the store is replaced under it, says so once, and can be stopped then', async () => {
    const { store, client } = await place()
    const started = gate<void>()
    const stopped = gate<unknown>()
    const stuck = defineHandler({
      type: 'stuck',
      run: (_job, { signal }) =>
        new Promise((_, reject) => {
          started.open()
          signal.addEventListener('abort', () => {
            stopped.open(signal.reason)
            reject(signal.reason)
          })
        }),
    })
    const log = capturedLog()
    const worker = await startWorker({ store, handlers: [stuck], log })
    await client.enqueue('stuck', {})
    await started.passed
    const db = new Database(store)
    db.exec(`VACUUM INTO '${store}.backup'`)
    db.close()
    renameSync(`${store}.backup`, store)
    expect(await worker.lost).toMatchObject({
      code: 'store_replaced',
      message: expect.stringContaining(store),
    })
    expect(await stopped.passed).toMatchObject({ kind: 'lease_lost' })
    await worker.stop()
    expect(log.lines.filter(({ message }) => message.includes('was replaced'))).toHaveLength(1)
    await expect(client.enqueue('stuck', {})).rejects.toMatchObject({ code: 'store_replaced' })
    const again = await startWorker({ store, handlers: [stuck], log: silent })
    await again.stop()
  })

  it.each<[string, object]>([
    ['no handlers', { handlers: [] }],
    ['an unknown option', { processes: 2 }],
    ['a concurrency of 0', { concurrency: 0 }],
    ['a name with a #', { name: 'a#b' }],
  ])('refuses %s before it opens anything', async (_, options) => {
    const store = join(temporaryDirectory(), 'wf.db')
    const handlers = [defineHandler({ type: 'a', run: () => 1 })]
    await expect(
      startWorker({ handlers, store, log: silent, ...options } as StartWorkerOptions),
    ).rejects.toMatchObject({ code: 'usage' })
    expect(existsSync(store)).toBe(false)
  })

  it('refuses two handlers of one type and a handler that is wrong', async () => {
    const one = defineHandler({ type: 'a', run: () => 1 })
    await expect(startWorker({ handlers: [one, { ...one }], log: silent })).rejects.toMatchObject({
      code: 'invalid_handler',
    })
    await expect(startWorker({ handlers: [{ ...one, timeout: 'soon' }], log: silent })).rejects.toMatchObject(
      { code: 'invalid_handler' },
    )
  })

  it('refuses handlers that disagree about a dependency, and leaves no store open', async () => {
    const { store } = await place()
    const handlers = [3, 4].map((failures) =>
      defineHandler({
        type: `a${failures}`,
        dependencies: { bank: { breaker: { failures } } },
        run: () => 1,
      }),
    )
    await expect(startWorker({ store, handlers, log: silent })).rejects.toMatchObject({
      code: 'invalid_handler',
    })
    const worker = await startWorker({ store, handlers: handlers.slice(0, 1), log: silent })
    await worker.stop()
  })

  // B042
  it('shares what it finds out about a dependency with the other workers of the store', async () => {
    const { store, client } = await place()
    const dependencies = { bank: { breaker: { failures: 1, openFor: '1h' } } }
    const down = defineHandler({
      type: 'down',
      retries: 1,
      dependencies,
      run: (_, ctx) => ctx.call('bank', () => Promise.reject(new Error('down'))),
    })
    const one = await startWorker({ store, handlers: [down], log: silent })
    await (await client.enqueue('down', {})).wait()
    const reader = await openStore({ location: store, mode: 'read' })
    await vi.waitFor(
      async () => expect(await reader.breakers()).toMatchObject([{ name: 'bank', mode: 'open' }]),
      { timeout: 120_000 },
    )
    await one.stop()
    const up = defineHandler({ type: 'up', dependencies, run: (_, ctx) => ctx.call('bank', () => 'paid') })
    const other = await startWorker({
      store,
      handlers: [up, defineHandler({ type: 'free', run: () => 1 })],
      log: silent,
    })
    const held = await client.enqueue('up', {})
    await (await client.enqueue('free', {})).wait()
    expect((await reader.job(held.key))?.job).toMatchObject({ attempt: 0, state: 'available', retries: 3 })
    await other.stop()
    await reader.close()
  })

  it('fails without a store when it may not create one', async () => {
    const handlers = [defineHandler({ type: 'a', run: () => 1 })]
    await expect(
      startWorker({ handlers, store: join(temporaryDirectory(), 'wf.db'), create: false, log: silent }),
    ).rejects.toMatchObject({
      code: 'store_missing',
    })
  })

  it('tells warnings as JSON lines on standard error when it is given no log', async () => {
    const { store, client } = await place()
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => written.mockRestore())
    const fails = defineHandler({ type: 'fails', retries: 1, run: () => Promise.reject(new Error('broken')) })
    const worker = await startWorker({ store, handlers: [fails] })
    const job = await client.enqueue('fails', {})
    await job.wait()
    await worker.drain(1_000)
    const lines = written.mock.calls.map(
      ([line]) => JSON.parse(String(line)) as { level: string; msg: string },
    )
    expect(lines).toMatchObject([
      { level: 'warn', msg: expect.stringContaining('incident job_no_retries: broken') },
    ])
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a grace of %s ms', async (graceMs) => {
    const { store } = await place()
    const worker = await startWorker({
      store,
      handlers: [defineHandler({ type: 'a', run: () => 1 })],
      log: silent,
    })
    await expect(worker.drain(graceMs)).rejects.toMatchObject({ code: 'usage' })
    await worker.stop()
  })
})
