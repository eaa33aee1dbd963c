import { describe, expect, it } from 'vitest'
import { Completions, mostKnown } from '../../../src/cli/stats/completions.ts'
import { outcomes, testEngine, type TestEngine } from '../../support/test-engine.ts'

async function complete(made: TestEngine): Promise<void> {
  const [job] = await made.claim({ limit: 1 })
  if (!job) throw new Error('nothing was there to be claimed')
  await made.clock.advance(40)
  await made.settle(job, outcomes.success())
}

async function begun(made: TestEngine, types?: readonly string[]): Promise<Completions> {
  const completions = new Completions(made.store, types)
  await completions.begin()
  return completions
}

describe('completions', () => {
  it('tells each job once, whether it waited before or came and completed between two looks', async () => {
    const made = await testEngine()
    await made.join('w#1')
    await made.add()
    await complete(made)
    const waited = await made.add()
    const completions = await begun(made)
    expect(await completions.since()).toEqual([])
    await complete(made)
    const quick = await made.add()
    await complete(made)
    const told = await completions.since()
    expect(told?.map(({ jobKey, kind, type, count, detail }) => [jobKey, kind, type, count, detail])).toEqual(
      [
        [waited, 'completed', 'mail', 1, 'attempt 1 after 40ms'],
        [quick, 'completed', 'mail', 1, 'attempt 1 after 40ms'],
      ],
    )
    expect(await completions.since()).toEqual([])
  })

  it('tells of a stopped job that somebody sent to work again, and not of one that is cancelled', async () => {
    const made = await testEngine()
    await made.join('w#1')
    const stopped = await made.add()
    const [job] = await made.claim({ limit: 1 })
    if (job) await made.settle(job, outcomes.raised('a person must look'))
    const completions = await begun(made)
    const cancelled = await made.add()
    await made.engine.resolve([
      { jobKey: cancelled, verb: 'cancel', who: 'ada', reason: null },
      { jobKey: stopped, verb: 'resolve', who: 'ada', reason: null },
    ])
    await complete(made)
    expect((await completions.since())?.map(({ jobKey }) => jobKey)).toEqual([stopped])
  })

  it('looks at the types that are asked for alone, and gives up where there are too many', async () => {
    const made = await testEngine()
    await made.join('w#1')
    await made.engine.enqueue(Array.from({ length: mostKnown }, () => ({ type: 'other' })))
    const [all, mails] = [await begun(made), await begun(made, ['mail'])]
    expect(await all.since()).toEqual([])
    const key = await made.add()
    await complete(made)
    await made.engine.enqueue([{ type: 'other' }])
    expect((await mails.since())?.map(({ jobKey }) => jobKey)).toEqual([key])
    expect((await all.since())?.map(({ jobKey }) => jobKey)).toEqual([key])
    expect(await all.since()).toBeNull()
    expect(await (await begun(made)).since()).toBeNull()
  })
})
