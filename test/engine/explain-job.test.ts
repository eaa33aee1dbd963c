import { declareTypes, reportBreakers } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { jobFacts } from '../../src/engine/explain-job.ts'
import { createInspector } from '../../src/engine/inspector.ts'
import { explain } from '../../src/messages/explain.ts'
import { testEngine, type TestEngine } from '../support/test-engine.ts'

const explained = async (t: TestEngine, key: number) => {
  const facts = await jobFacts(t.store, key, t.store.now())
  if (!facts) throw new Error('no such job')
  const { why, next, commands } = explain(facts)
  return { words: [...why, ...next].join(' '), commands: commands.map(({ args }) => args.join(' ')) }
}

const declared = {
  type: 'mail',
  timeoutMs: 1_000,
  concurrency: 1,
  retries: 3,
  backlogLimit: null,
  onExhausted: 'incident',
} as const

describe('the explanation of a job', () => {
  it('is nothing for a job that is not there', async () => {
    const t = await testEngine()
    expect(await jobFacts(t.store, 4711, t.store.now())).toBeNull()
  })

  it('finds out that nobody handles its type, that the type is paused, and that it is about to start', async () => {
    const t = await testEngine()
    const key = await t.add()
    expect((await explained(t, key)).words).toContain('No living worker handles the type mail.')
    await t.join('w#1')
    expect((await explained(t, key)).words).toContain('A worker that is idle takes it within moments.')
    await t.engine.pauseTypes(['mail'], { paused: true, reason: 'bad release', who: 'ann' })
    expect((await explained(t, key)).words).toContain('by ann: bad release.')
    expect((await explained(t, key)).commands).toContain('wf types resume mail'.slice(3))
  })

  it('finds out that each worker has a breaker of its own which holds the type, as the list of jobs does', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    const now = t.store.now()
    await reportBreakers(t.store, 'w#1', [
      { name: 'bank', mode: 'open', generation: 1, changedAt: now, expiresAt: now + 20_000, types: ['mail'] },
    ])
    expect((await explained(t, key)).words).toContain("Each worker's own breaker of bank is open")
    expect((await createInspector(t.store, t.store.now).job(key))?.job.held).toMatchObject({ by: 'breaker' })
    await t.clock.advance(20_000)
    expect((await explained(t, key)).words).toContain('is half-open')
    await t.join('w#2')
    expect((await explained(t, key)).words).toContain('A worker that is idle takes it within moments.')
  })

  it('finds out that all slots are taken', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await declareTypes(t.store, [declared], t.store.now())
    await t.add()
    await t.claim({ type: 'mail', limit: 1 })
    const key = await t.add()
    expect((await explained(t, key)).words).toContain('The only slot of 1 worker for mail is taken.')
  })

  it('finds out that the worker of a running job is alive, and later that it is dead', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await t.claim({ type: 'mail', limit: 1 })
    expect((await explained(t, key)).words).toContain('which is alive')
    await t.clock.advance(3_600_000)
    expect((await explained(t, key)).words).toMatch(
      /the lease of its worker w#1 ended .* ago\. Nobody takes it back/,
    )
  })
})
