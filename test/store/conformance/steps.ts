import { forgetSteps, stepsOf } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { Fence, Job } from '../../../src/domain/job.ts'
import type { ListedStep } from '../../../src/domain/step.ts'
import { outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'
import type { Page, Paged } from '../../../src/store/page.ts'

const fenceOf = ({ key, attempt, workerId }: Job): Fence => ({
  jobKey: key,
  attempt,
  workerId: workerId ?? '',
})

async function runningJob({ join, add, claimOne }: Scene) {
  await join()
  await add()
  return claimOne()
}

/** Its attempt ends as lost, and another begins. */
async function nextAttempt(scene: Scene, job: Job) {
  await scene.settle(job, outcomes.lost())
  await scene.clock.advance(600_000)
  return scene.claimOne()
}

export function stepRules(stage: Stage): void {
  describe('a step of a job', () => {
    // A30
    it('is new, then done: its first result is what every later attempt is given', async () => {
      const scene = await stage()
      const { store, now } = scene
      const job = await runningJob(scene)
      const fence = fenceOf(job)
      expect(await store.beginStep(fence, 'charge', now())).toEqual({ intent: 'new' })
      expect(await store.completeStep(fence, 'charge', '{"id":7}', now())).toEqual({ result: '{"id":7}' })
      expect(await store.completeStep(fence, 'charge', '{"id":8}', now())).toEqual({ result: '{"id":7}' })
      const later = await nextAttempt(scene, job)
      expect(await store.beginStep(fenceOf(later), 'charge', now())).toEqual({ result: '{"id":7}' })
      expect(await store.beginStep(fenceOf(later), 'mail', now())).toEqual({ intent: 'new' })
      const { steps } = await scene.detail(job.key)
      expect(steps).toEqual(await stepsOf(store, job.key))
      expect(steps).toMatchObject([
        { step: 'charge', attempt: 1, result: '{"id":7}', unknowns: 0 },
        { step: 'mail', attempt: 2, completedAt: null, result: null },
      ])
    })

    // A30
    it('whose attempt died between intent and result has an unknown outcome, and stays marked when it is done', async () => {
      const scene = await stage()
      const { store, now } = scene
      const job = await runningJob(scene)
      const began = now()
      await store.beginStep(fenceOf(job), 'charge', began)
      const unknown = async () => (await store.allSteps({ unknown: true }, { limit: 10 })).items
      expect(await unknown(), 'it may still be at it').toEqual([])
      const later = await nextAttempt(scene, job)
      expect(await unknown()).toMatchObject([
        { jobKey: job.key, type: 't', step: 'charge', unknown: true, jobState: 'running' },
      ])
      expect(await store.beginStep(fenceOf(later), 'charge', now())).toEqual({ intent: 'unknown' })
      expect(await unknown()).toEqual([])
      expect(await store.completeStep(fenceOf(later), 'charge', '1', now())).toEqual({ result: '1' })
      const done = {
        jobKey: job.key,
        step: 'charge',
        attempt: 2,
        intentAt: began,
        completedAt: now(),
        result: '1',
        unknowns: 1,
      }
      expect(await stepsOf(store, job.key)).toEqual([done])
    })

    // A30
    it('is neither begun nor completed by an attempt that is no longer the job\u2019s', async () => {
      const scene = await stage()
      const { store, now } = scene
      const job = await runningJob(scene)
      const late = fenceOf(job)
      await store.beginStep(late, 'charge', now())
      const later = await nextAttempt(scene, job)
      for (const fence of [late, { ...fenceOf(later), workerId: 'w#2' }, { ...late, jobKey: 4711 }]) {
        expect(await store.beginStep(fence, 'mail', now())).toEqual({ intent: 'stale' })
        expect(await store.completeStep(fence, 'charge', '1', now())).toEqual({ intent: 'stale' })
      }
      expect(await stepsOf(store, job.key)).toMatchObject([{ step: 'charge', completedAt: null }])
      await scene.settle(later, outcomes.success())
      expect(await store.completeStep(fenceOf(later), 'charge', '1', now())).toEqual({ intent: 'stale' })
      expect(scene.faults()).toEqual([])
    })

    // A30
    it('is taken back by the attempt that stated it, as long as nobody is in doubt about it and it is not done', async () => {
      const scene = await stage()
      const { store, now } = scene
      const job = await runningJob(scene)
      const fence = fenceOf(job)
      for (const step of ['charge', 'mail', 'doubted']) await store.beginStep(fence, step, now())
      await store.completeStep(fence, 'mail', '1', now())
      await store.withdrawStep({ ...fence, workerId: 'w#2' }, 'charge')
      await store.withdrawStep({ ...fence, attempt: 2 }, 'charge')
      expect(await stepsOf(store, job.key)).toHaveLength(3)
      for (const step of ['charge', 'mail', 'none']) await store.withdrawStep(fence, step)
      expect((await stepsOf(store, job.key)).map(({ step }) => step).sort()).toEqual(['doubted', 'mail'])
      expect(await store.beginStep(fence, 'charge', now())).toEqual({ intent: 'new' })
      const later = fenceOf(await nextAttempt(scene, job))
      await store.withdrawStep(fence, 'charge')
      expect(await store.beginStep(later, 'doubted', now())).toEqual({ intent: 'unknown' })
      await store.withdrawStep(later, 'doubted')
      await store.withdrawStep(later, 'charge')
      expect((await stepsOf(store, job.key)).map(({ step }) => step).sort()).toEqual([
        'charge',
        'doubted',
        'mail',
      ])
      expect(scene.faults()).toEqual([])
    })

    it('has a name and a result within bounds, and a job not more than a thousand of them', async () => {
      const scene = await stage()
      const { store, now } = scene
      const fence = fenceOf(await runningJob(scene))
      for (const name of ['', 'x'.repeat(201)])
        await expect(store.beginStep(fence, name, now())).rejects.toMatchObject({ code: 'refused' })
      const largest = JSON.stringify('é'.repeat(128 * 1024 - 1))
      await expect(store.completeStep(fence, 'charge', `${largest} `, now())).rejects.toMatchObject({
        code: 'refused',
      })
      expect(await store.completeStep(fence, 'charge', largest, now())).toEqual({ result: largest })
      await Promise.all(
        Array.from({ length: 999 }, (_, index) => store.beginStep(fence, `step ${index}`, now())),
      )
      await expect(store.beginStep(fence, 'one more', now())).rejects.toMatchObject({ code: 'refused' })
      expect(await store.beginStep(fence, 'step 5', now())).toEqual({ intent: 'unknown' })
      await expect(store.completeStep(fence, 'bad', '{', now())).rejects.toThrow()
      expect(await stepsOf(store, fence.jobKey)).toHaveLength(1_000)
    })

    it('can be forgotten by a person, alone or with all others, which its job records', async () => {
      const scene = await stage()
      const { store, now } = scene
      const fence = fenceOf(await runningJob(scene))
      for (const step of ['a', 'b', 'c']) await store.completeStep(fence, step, '1', now())
      const forget = { jobKey: fence.jobKey, who: 'ada', reason: 'refunded' }
      expect(await forgetSteps(store, { ...forget, step: 'b' }, now())).toEqual(['b'])
      expect(await forgetSteps(store, { ...forget, step: 'b' }, now())).toEqual([])
      expect(await store.beginStep(fence, 'b', now())).toEqual({ intent: 'new' })
      expect(await forgetSteps(store, { ...forget, step: null }, now())).toEqual(['a', 'b', 'c'])
      const { history, steps } = await scene.detail(fence.jobKey)
      expect(history.map(({ event, who, reason, detail }) => [event, who, reason, detail])).toEqual([
        ['steps_forgotten', 'ada', 'refunded', '{"steps":["b"]}'],
        ['steps_forgotten', 'ada', 'refunded', '{"steps":["a","b","c"]}'],
      ])
      expect(steps).toEqual([])
    })

    it('is listed with its job, those of the newest jobs first, page by page', async () => {
      const scene = await stage()
      const { store, now, join, add, claim } = scene
      await join()
      for (const type of ['t', 't', 'u']) await add({ type })
      for (const job of [...(await claim()), ...(await claim({ type: 'u' }))]) {
        for (const step of ['a.b', '%']) await store.completeStep(fenceOf(job), step, '1', now())
      }
      const seen: string[] = []
      let page: Page | null = { limit: 4 }
      while (page !== null) {
        const { items, next }: Paged<ListedStep> = await store.allSteps({}, page)
        seen.push(...items.map(({ jobKey, step }) => `${jobKey} ${step}`))
        page = next === null ? null : { limit: 4, cursor: next }
      }
      expect(seen).toEqual(['3 a.b', '3 %', '2 a.b', '2 %', '1 a.b', '1 %'])
      expect((await store.allSteps({ types: ['u'] }, { limit: 10 })).items).toHaveLength(2)
      expect((await store.allSteps({ jobKeys: [1, 2], types: ['t'] }, { limit: 10 })).items).toHaveLength(4)
      await expect(store.allSteps({}, { limit: 4, cursor: 'x' })).rejects.toMatchObject({ code: 'usage' })
      await expect(store.allSteps({}, { limit: 4, cursor: '1.%' })).rejects.toMatchObject({ code: 'usage' })
    })

    it('goes with its job', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const job = await runningJob(scene)
      await store.completeStep(fenceOf(job), 'charge', '1', now())
      await scene.settle(job, outcomes.success())
      await clock.advance(1_000)
      await store.prune({ finishedMs: 1, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null }, now())
      expect([await store.job(job.key), await stepsOf(store, job.key)]).toEqual([null, []])
      expect(scene.faults()).toEqual([])
    })
  })

  describe('a resolution that asks for new effects', () => {
    // A30
    it('forgets the steps and raises the epoch that every later attempt is claimed with, and says so in the history', async () => {
      const scene = await stage()
      const { store, now } = scene
      const job = await runningJob(scene)
      expect(job.effectsEpoch).toBe(0)
      await store.completeStep(fenceOf(job), 'charge', '1', now())
      await scene.settle(job, outcomes.raised())
      await scene.resolve(job.key, 'resolve')
      const same = await scene.claimOne()
      expect([same.effectsEpoch, await store.beginStep(fenceOf(same), 'charge', now())]).toEqual([
        0,
        { result: '1' },
      ])
      await scene.settle(same, outcomes.raised())
      expect(await scene.resolve(job.key, 'resolve', { newEffects: true })).toMatchObject({
        status: 'changed',
      })
      const anew = await scene.claimOne()
      expect([anew.effectsEpoch, await store.beginStep(fenceOf(anew), 'charge', now())]).toEqual([
        1,
        { intent: 'new' },
      ])
      const { effectsEpoch, history } = await scene.detail(job.key)
      expect(effectsEpoch).toBe(1)
      expect(JSON.parse(history.at(-1)?.detail ?? '')).toMatchObject({
        effectsEpoch: 1,
        forgotten: ['charge'],
      })
    })

    it('is refused together with an end of the job', async () => {
      const scene = await stage()
      const job = await runningJob(scene)
      expect(await scene.resolve(job.key, 'cancel', { newEffects: true })).toMatchObject({ status: 'failed' })
      expect((await scene.detail(job.key)).effectsEpoch).toBe(0)
    })
  })
}
