import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outcomes, testEngine } from '../support/test-engine.ts'

describe('lost attempts', () => {
  // A05
  it('three in a row stop the job; retries and failures stay as they were; the waits are 0 and 1 s', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 3 })
    for (const [wait, suspects] of [
      [0, false],
      [1_000, false],
      [0, true],
    ] as const) {
      const [job] = await t.claim({ suspects })
      if (!job) throw new Error('not claimed')
      await t.settle(job, outcomes.lost())
      const after = (await t.detail(key)).job
      if (after.state !== 'failed') expect(after.runAt - t.clock.now()).toBe(wait)
      await t.clock.advance(wait)
    }
    const { job, incidents } = await t.detail(key)
    expect(job).toMatchObject({ state: 'failed', retries: 3, failures: 0, crashes: 3, attempt: 3 })
    expect(incidents).toMatchObject([{ kind: 'crash_loop', resolvedAt: null }])
  })

  // A05
  it('a loss, an ordinary failure and two losses are not yet three in a row', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 5 })
    for (const outcome of [outcomes.lost(), outcomes.fail(), outcomes.lost(), outcomes.lost()]) {
      const [job] = await t.claim()
      if (!job) throw new Error('not claimed')
      await t.settle(job, outcome)
      await t.clock.advance(1_000)
    }
    expect((await t.detail(key)).job).toMatchObject({ crashes: 2, failures: 1, retries: 4, state: 'waiting' })
    expect(await t.claim({ suspects: false })).toEqual([])
    expect((await t.claim({ suspects: true })).map((job) => job.key)).toEqual([key])
  })

  // B009
  it('a crash spends no retry, also not the last one: the job starts again', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 1 })
    const [job] = await t.claim()
    if (!job) throw new Error('not claimed')
    await t.settle(job, outcomes.lost())
    const { attempts, job: after } = await t.detail(key)
    expect(after).toMatchObject({ state: 'available', retries: 1, crashes: 1 })
    expect(attempts).toMatchObject([{ attempt: 1, outcome: 'lost', error: { name: 'Lost' } }])
    expect((await t.claim()).map(({ attempt }) => attempt)).toEqual([2])
  })

  // A04 B001
  it('the late report of a worker that lost its lease changes nothing, whatever it says, and is kept as stale', async () => {
    for (const late of [outcomes.success({ by: 'A' }), outcomes.fail(), outcomes.poison(), outcomes.lost()]) {
      const t = await testEngine()
      const key = await t.add()
      const [first] = await t.claim({ workerId: 'A#1' })
      if (!first) throw new Error('not claimed')
      const [{ job: expired } = { job: first }] = await t.store.expiredLeases(t.clock.now(), 10)
      await t.settle(expired, outcomes.lost(), { onlyIfExpiredAt: t.clock.now() })
      const [second] = await t.claim({ workerId: 'B#1' })
      if (!second) throw new Error('not claimed')
      expect(await t.settle(first, late)).toBe('stale')
      expect((await t.detail(key)).job).toMatchObject({ state: 'running', workerId: 'B#1', attempt: 2 })
      await t.settle(second, outcomes.success({ by: 'B' }))
      expect(await t.settle(first, late)).toBe('stale')
      const { job, result, attempts } = await t.detail(key)
      expect({ state: job.state, attempt: job.attempt, result }).toEqual({
        state: 'completed',
        attempt: 2,
        result: '{"by":"B"}',
      })
      const kept = attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`)
      expect(kept.filter((row) => row !== '1 stale')).toEqual(['1 lost', '2 success'])
      expect(kept.includes('1 stale')).toBe(late.kind !== 'lost')
    }
  })

  // B021
  it('the number of handler starts follows from the retries and the losses, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('fail', 'timeout', 'lost'), { maxLength: 14 }),
        async (retries, ends) => {
          const t = await testEngine()
          const key = await t.add({ retries })
          const plan = expectedStarts(retries, ends)
          let starts = 0
          for (const end of ends) {
            const { job } = await t.detail(key)
            if (job.runAt > t.clock.now()) t.clock.block(job.runAt - t.clock.now())
            const [claimed] = [...(await t.claim()), ...(await t.claim({ suspects: true }))]
            if (!claimed) break
            starts++
            expect(claimed.attempt).toBe(starts)
            const outcome = end === 'lost' ? outcomes.lost() : outcomes.fail()
            await t.settle(
              claimed,
              end === 'timeout' && outcome.kind === 'fail' ? { ...outcome, category: 'timeout' } : outcome,
            )
          }
          const { job, incidents } = await t.detail(key)
          expect({
            starts,
            state: job.state === 'failed' ? 'failed' : 'going on',
            kind: incidents[0]?.kind ?? null,
          }).toEqual(plan)
          expect(job.retries).toBe(retries - ends.slice(0, starts).filter((end) => end !== 'lost').length)
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** `retries` executions that fail, and at most two losses in a row. */
function expectedStarts(retries: number, ends: readonly string[]) {
  let left = retries
  let lost = 0
  for (const [index, end] of ends.entries()) {
    lost = end === 'lost' ? lost + 1 : 0
    left -= end === 'lost' ? 0 : 1
    if (lost === 3) return { starts: index + 1, state: 'failed', kind: 'crash_loop' }
    if (left === 0) return { starts: index + 1, state: 'failed', kind: 'job_no_retries' }
  }
  return { starts: ends.length, state: 'going on', kind: null }
}
