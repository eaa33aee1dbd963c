import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { newJob } from '../../../src/domain/new-job.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { outcomes } from '../../support/store-scene.ts'
import { everyState, fileScene } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openRead, openWrite } from './support/files.ts'

describe('what jobs carry', () => {
  // B075
  it('is read by no list: each answers the same where it has been taken away', async () => {
    const path = freshPath()
    await everyState(path)
    const answers = async () => {
      const reader = await openRead(path)
      const page = { limit: 100 }
      const lists = [
        reader.jobs({ includeClosed: true }, page),
        reader.incidents({ includeClosed: true }, page),
        reader.deadLetters({ includeClosed: true }, page),
        reader.types(1),
        reader.counts(),
        reader.running('w#1'),
        reader.expiredLeases(systemClock.now(), 100),
      ]
      return Promise.all(lists)
    }
    const before = await answers()
    const db = openRaw(path)
    db.exec('DROP TABLE wf_job_data; DROP TABLE wf_results; ALTER TABLE wf_poison_jobs DROP COLUMN variables')
    db.close()
    expect(await answers()).toEqual(before)
  })

  // B075 B076
  it('may be as large as 30 MB where somebody wrote it past every limit: lists do not notice, a claim hands it over, and it goes to its end', async () => {
    const path = freshPath()
    const { store, add, claimOne, settle } = await fileScene(path)
    const key = await add()
    const text = JSON.stringify({ text: 'x'.repeat(30_000_000) })
    openRaw(path).prepare('UPDATE wf_job_data SET variables = ? WHERE job_key = ?').run(text, key)
    expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(1)
    const job = await claimOne()
    expect(job.variables).toBe(text)
    expect(await settle(job, outcomes.poison())).toBe('applied')
    const [letter] = (await store.deadLetters({}, { limit: 10 })).items
    expect(Object.keys(letter ?? {})).not.toContain('variables')
    expect((await store.deadLetter(key))?.variables).toBe(text)
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B075
  it('too deep for the engine is refused alone, beside others that stand', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const [good] = jobsOf(1)
    if (!good) throw new Error('no job')
    const enqueued = await store.enqueue(
      [good, { ...good, variables: deep }, { ...good, variables: '{"a":' }, good],
      1,
    )
    expect(enqueued).toMatchObject([
      { status: 'created' },
      { status: 'refused', reason: 'constraint' },
      { status: 'refused', reason: 'constraint' },
      { status: 'created' },
    ])
    expect((await store.counts()).waiting).toBe(2)
  })

  // B075
  it('a result that the engine will not take stops its job with an incident, and only that job', async () => {
    const path = freshPath()
    const { store, add, claim, settlement, now } = await fileScene(path)
    const keys = [await add(), await add(), await add()]
    const jobs = await claim()
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const results = ['{"ok":true}', deep, '"fine"']
    const settlements = jobs.map((job, index) =>
      settlement(job, outcomes.success(), { result: results[index] ?? null }),
    )
    const { settled } = await store.exchange({ settlements }, now())
    expect(settled).toEqual(['applied', 'refused', 'applied'])
    const states = await Promise.all(keys.map(async (key) => (await store.job(key))?.job.state))
    expect(states).toEqual(['completed', 'failed', 'completed'])
    expect((await store.incidents({}, { limit: 10 })).items).toMatchObject([
      { jobKey: keys[1], kind: 'settlement_refused' },
    ])
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B076
  it('counts bytes, not characters, before anything reaches the store', () => {
    const limit = 1024 * 1024
    const fits = { a: 'ä'.repeat((limit - '{"a":""}'.length) / 2) }
    expect(newJob({ type: 't', variables: fits }, 1).variables).toHaveLength(
      '{"a":""}'.length + fits.a.length,
    )
    expect(() => newJob({ type: 't', variables: { a: `${fits.a}a` } }, 1)).toThrow(
      /bytes|MiB|1,048,576|1048576/,
    )
  })
})
