/** A store in a file with jobs in every state of interest, made by the engine itself; commands are then run on it as processes. */
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { outcomes, testEngine, type TestEngine } from './test-engine.ts'

export interface SeededStore extends TestEngine {
  /** One job that was claimed and is running. */
  running(type?: string): Promise<number>
  completed(result?: unknown): Promise<number>
  /** Open incidents of the kind `raised`. */
  raised(count?: number, message?: string): Promise<readonly number[]>
  poisoned(variables?: object): Promise<number>
  crashLooping(): Promise<number>
  /** Its handler returned what cannot be stored. */
  resultInvalid(): Promise<number>
  dead(): Promise<number>
  waiting(): Promise<number>
  rejected(): Promise<number>
}

export async function seededStore(): Promise<SeededStore> {
  const made = await testEngine({ file: true, clock: createFakeClock(Date.now()) })
  // For as long as the commands of a test may take: the longest lease that there is.
  await made.join('w#1', { leaseMs: 600_000 })
  const run = async (key: number, ...settlements: readonly Parameters<TestEngine['settle']>[1][]) => {
    for (const outcome of settlements) {
      await made.clock.advance(10_000)
      const suspects = (await made.detail(key)).job.crashes >= 2
      const job = (await made.claim({ suspects })).find((claimed) => claimed.key === key)
      if (!job) throw new Error(`job ${key} was not claimed`)
      await made.settle(job, outcome)
    }
    return key
  }
  return {
    ...made,
    async running() {
      const key = await made.add()
      await made.claim()
      return key
    },
    completed: async (result) => run(await made.add(), outcomes.success(result)),
    async raised(count = 1, message = 'a person must look') {
      const enqueued = await made.engine.enqueue(
        Array.from({ length: count }, () => ({
          type: 'mail',
          variables: { to: 'ada@example.org', amount: 1 },
        })),
      )
      for (const job of await made.claim({ limit: count })) await made.settle(job, outcomes.raised(message))
      return enqueued.flatMap((each) => (each.status === 'created' ? [each.key] : []))
    },
    poisoned: async (variables = { amount: -1 }) => run(await made.add({ variables }), outcomes.poison()),
    crashLooping: async () => run(await made.add(), outcomes.lost(), outcomes.lost(), outcomes.lost()),
    resultInvalid: async () => run(await made.add(), outcomes.resultInvalid()),
    async dead() {
      const key = await made.add({ retries: 1 })
      const [job] = await made.claim()
      if (!job) throw new Error('not claimed')
      await made.settle(job, outcomes.fail('no more'), {
        policy: {
          retries: 1,
          backoff: { strategy: 'fixed', delayMs: 0, maxMs: 0, jitter: 0 },
          onExhausted: 'dead-letter',
        },
      })
      return key
    },
    waiting: async () => run(await made.add(), outcomes.fail('try again', { delayMs: 3_600_000 })),
    rejected: async () => run(await made.add(), outcomes.business('CARD_DECLINED')),
  }
}
