/** A worker on a store in memory, a fake clock and seeded chance. Stopped when the test ends. */
import { onTestFinished } from 'vitest'
import type { Job } from '../../src/domain/job.ts'
import { seededRandom } from '../../src/random.ts'
import { normaliseHandler } from '../../src/worker/handler/handler-schema.ts'
import type { WorkerOptions } from '../../src/worker/coordinator.ts'
import { createWorker, type Worker } from '../../src/worker/worker.ts'
import { testEngine, type TestEngine } from '../support/test-engine.ts'
import type { TestStoreOptions } from '../support/open-test-store.ts'

export interface TestWorkerOptions extends Partial<Omit<WorkerOptions, 'handlers' | 'clock' | 'log'>> {
  /** Handlers as they would be written; a type that is left out is `mail`. */
  handlers: readonly object[]
}

export interface TestWorker extends TestEngine {
  worker: Worker
  /** Another worker of the same store. */
  another(options: TestWorkerOptions): Promise<Worker>
  job(key: number): Promise<Job>
  /** Lets everything that can happen now happen; work that goes from commit to commit takes many turns. */
  rest(): Promise<void>
  messages(): string[]
}

export async function testWorker({
  file,
  ...options
}: TestWorkerOptions & Pick<TestStoreOptions, 'file'>): Promise<TestWorker> {
  const t = await testEngine(file === undefined ? {} : { file })
  const another = async (more: TestWorkerOptions) => {
    const workerId = more.workerId ?? 'w#1'
    await t.join(workerId, { leaseMs: 365 * 86_400_000 })
    const handlers = new Map(
      more.handlers
        .map((handler) => normaliseHandler({ type: 'mail', ...handler }))
        .map((handler) => [handler.type, handler]),
    )
    const { storeId } = await t.store.info()
    const parts = {
      engine: t.engine,
      clock: t.clock,
      random: seededRandom(7),
      log: t.log,
      isolated: true,
      storeId,
      workerId,
    }
    const worker = createWorker({ ...parts, ...more, handlers })
    onTestFinished(() => worker.stop())
    return worker
  }
  const worker = await another(options)
  return {
    ...t,
    worker,
    another,
    job: async (key) => (await t.detail(key)).job,
    async rest() {
      for (let round = 0; round < 10; round++) await t.clock.settle()
    },
    messages: () => t.log.lines.map(({ message }) => message),
  }
}

/** A promise and what settles it. */
export function gate<T = void>() {
  let open: (value: T) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  const passed = new Promise<T>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { passed, open: (value: T) => open(value), fail: (error: unknown) => fail(error) }
}
