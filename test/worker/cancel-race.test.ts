import { expect, it } from 'vitest'
import type { Applied } from '../../src/domain/resolution.ts'
import { seededRandom } from '../../src/random.ts'
import type { ActivatedJob, HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { testWorker } from './test-worker.ts'

type Run = { takesMs: number; honours: boolean }
type Told = Run & {
  applied?: Applied
  cancelledAt?: number
  startedAt?: number
  abortedAt?: number
  returnedAt?: number
}

it.each([3, 17, 2026])(
  // B020
  'a cancel at any moment from before the claim to after the end: one of the two wins, and the answer says which (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const upTo = (ms: number) => Math.floor(random() * ms)
    const told = new Map<number, Told>()
    const run = ({ key, variables: { takesMs, honours } }: ActivatedJob<Run>, { signal }: HandlerContext) => {
      const mine = Object.assign(told.get(key) ?? { takesMs, honours }, { startedAt: t.clock.now() })
      return new Promise((resolve, reject) => {
        const end = t.clock.after(takesMs, () => {
          mine.returnedAt = t.clock.now()
          resolve('done')
        })
        signal.addEventListener('abort', () => {
          mine.abortedAt = t.clock.now()
          if (!honours) return
          end()
          reject(signal.reason)
        })
      })
    }
    const t = await testWorker({ handlers: [{ concurrency: 200, run }] })
    const begin = t.clock.now()
    for (let n = 0; n < 500; n++) {
      const variables = { takesMs: random() < 0.2 ? 3_000 : upTo(150), honours: random() < 0.5 }
      const key = await t.add({ variables, delay: upTo(100) })
      told.set(key, { ...variables })
    }
    for (const [key, mine] of told) {
      t.clock.after(upTo(200), () => {
        mine.cancelledAt = t.clock.now()
        void t.engine
          .resolve([{ jobKey: key, verb: 'cancel', who: 'ann', reason: null }])
          .then(([applied]) => {
            if (applied) mine.applied = applied
          })
      })
    }
    t.worker.start()
    await t.clock.advance(5_000)
    await t.rest()
    expect(t.clock.now() - begin).toBe(5_000)
    expect(t.worker.running).toEqual([])
    let won = 0
    for (const [key, { applied, cancelledAt = 0, startedAt, abortedAt, returnedAt }] of told) {
      const { job, attempts, result } = await t.detail(key)
      const what = `seed ${seed}, job ${key}`
      if (applied?.status === 'changed') {
        won++
        expect([job.state, result], what).toEqual(['cancelled', null])
        expect(job.attempt, what).toBe(startedAt === undefined ? 0 : 1)
        expect(
          attempts.every(({ outcome }) => outcome === 'stale'),
          what,
        ).toBe(true)
        if (startedAt !== undefined && (returnedAt ?? Number.POSITIVE_INFINITY) > cancelledAt + 1_000)
          expect(abortedAt, what).toBeLessThanOrEqual(cancelledAt + 1_000)
      } else {
        expect([applied?.status, job.state, result, attempts.map(({ outcome }) => outcome)], what).toEqual([
          'failed',
          'completed',
          '"done"',
          ['success'],
        ])
        expect(abortedAt, what).toBeUndefined()
      }
    }
    expect(won).toBeGreaterThan(100)
    expect(won).toBeLessThan(500)
  },
)
