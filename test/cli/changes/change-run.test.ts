import { resolve } from '../../../src/engine/plans/resolve.ts'
import { intercept } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { runChange } from '../../../src/cli/changes/change-run.ts'
import { applyJobs, planJobs, previewJobs } from '../../../src/engine/actions/change-jobs.ts'
import { createOutput } from '../../../src/terminal/output.ts'
import { WfError } from '../../../src/errors.ts'
import { memorySinks } from '../../support/memory-sinks.ts'
import { testEngine, type TestEngine } from '../../support/test-engine.ts'

async function cancelAll(t: TestEngine, keys: readonly number[], json: boolean) {
  const sinks = memorySinks()
  const output = await createOutput({ sinks, env: {}, json, noColour: true })
  const actions = { engine: t.engine, clock: t.clock, who: 'test' }
  const change = { verb: 'cancel', reason: null } as const
  const plan = await planJobs(t.store, { change, list: 'jobs', keys, selector: {} })
  const code = await runChange(
    { output, actions, suffix: '' },
    {
      ...{ verb: 'cancel', noun: 'job', done: 'cancelled', keys, dryRun: false, perSecond: undefined },
      preview: (run) => previewJobs(actions, plan, run),
      apply: (run) => applyJobs(actions, plan, run),
    },
  )
  return { code, out: sinks.out.text, err: sinks.err.text }
}

function failsAfter({ store }: TestEngine, batches: number): () => void {
  let left = batches
  return intercept(store, resolve, async (_items, _now, proceed) => {
    if (left-- <= 0) throw new WfError('store_full', 'the disk is full', { hint: 'Free space.' })
    return proceed()
  })
}

describe('a change of many jobs that breaks off', () => {
  it('tells what was changed and why no more, as partly done; done again it goes on from there', async () => {
    const t = await testEngine()
    const keys: number[] = []
    for (let count = 0; count < 500; count++) keys.push(await t.add())
    const mend = failsAfter(t, 4)
    const end = await cancelAll(t, keys, true)
    expect(end.code).toBe(6)
    expect(JSON.parse(end.out)).toMatchObject({
      changed: 400,
      left: 100,
      error: { code: 'partly_done', cause: { code: 'store_full' } },
    })
    mend()
    const mendAgain = failsAfter(t, 4)
    const words = await cancelAll(t, keys, false)
    expect(words.err).toContain('the disk is full')
    expect(words.err).toContain('stopped after 400 of 500 jobs')
    mendAgain()
    const again = await cancelAll(t, keys, true)
    expect(again.code).toBe(0)
    expect(JSON.parse(again.out)).toMatchObject({ changed: 100, skipped: 400, left: 0 })
  })

  it('fails as the store does when nothing was changed', async () => {
    const t = await testEngine()
    const key = await t.add()
    failsAfter(t, 0)
    await expect(cancelAll(t, [key], false)).rejects.toMatchObject({ code: 'store_full' })
  })
})
