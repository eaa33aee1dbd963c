import {
  addOperationTargets,
  beginOperation,
  changeBreaker,
  endOperation,
  forgetSteps,
  pauseTypes,
  resolveJobs,
  retireWorkers,
  undoTargets,
} from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { NewOperation, Undone } from '../../../src/domain/operation.ts'
import type { ResolutionVerb } from '../../../src/domain/resolution.ts'
import {
  claimRequest,
  exhaustedToDeadLetter,
  trippedBreaker,
  outcomes,
  type Scene,
} from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const day = 86_400_000

const begin = (scene: Scene, over: Partial<NewOperation> = {}) =>
  beginOperation(
    scene.store,
    {
      verb: 'resolve',
      who: 'ada@laptop',
      selector: '--type t',
      reason: 'fixed',
      flags: { retries: 3 },
      matched: 1,
      ...over,
    },
    scene.now(),
  )

/** One operation over these keys, ended; answers its id. */
async function operate(
  scene: Scene,
  verb: ResolutionVerb,
  keys: readonly number[],
  more: Partial<Parameters<Scene['resolve']>[2]> = {},
) {
  const id = await begin(scene, { verb, matched: keys.length })
  const batch = keys.map((jobKey) => ({
    jobKey,
    verb,
    who: 'ada@laptop',
    reason: null,
    operation: id,
    ...more,
  }))
  await resolveJobs(scene.store, batch, scene.now())
  await endOperation(scene.store, id, scene.now())
  return id
}

/** Takes an operation back as a whole. */
async function undo({ store, now }: Scene, of: number) {
  const { items } = await store.operationTargets(of, { limit: 1_000 }, true)
  const operation = await beginOperation(
    store,
    {
      verb: 'undo',
      who: 'bob',
      selector: `operation ${of}`,
      reason: null,
      flags: {},
      matched: items.length,
      undoes: of,
    },
    now(),
  )
  const targets = items.map(({ jobKey, name }) => ({ jobKey, name }))
  const undone = await undoTargets(store, { operation, of, targets, who: 'bob', reason: null }, now())
  return { undone, operation: await endOperation(store, operation, now()) }
}

/** What a person sees of a job, without the record of what people did. */
async function seen({ store }: Scene, key: number) {
  const detail = await store.job(key)
  return detail && { ...detail, history: [] }
}

async function stopped(scene: Scene, input: Parameters<Scene['add']>[0] = {}) {
  const key = await scene.add(input)
  await scene.settle(await scene.claimOne(), outcomes.raised())
  return key
}

export function operationRules(stage: Stage): void {
  describe('an operation', () => {
    it('keeps who, when, what was meant, and what became of each, counted at every moment', async () => {
      const scene = await stage()
      const { store, now, clock, add } = scene
      const failed = await stopped(scene)
      const available = await add()
      const id = await begin(scene, { matched: 4 })
      expect(await store.operation(id)).toMatchObject({
        at: now(),
        changed: 0,
        skipped: 0,
        failed: 0,
        finishedAt: null,
        undoneBy: null,
      })
      await clock.advance(5)
      const batch = [failed, available, 999].map((jobKey) => ({
        jobKey,
        verb: 'resolve' as const,
        who: 'ada',
        reason: null,
        operation: id,
      }))
      await resolveJobs(store, batch, now())
      expect(await store.operation(id)).toMatchObject({
        ...{
          id,
          verb: 'resolve',
          who: 'ada@laptop',
          selector: '--type t',
          reason: 'fixed',
          flags: { retries: 3 },
          matched: 4,
        },
        ...{ changed: 1, skipped: 1, failed: 1, touchedAt: now(), finishedAt: null },
      })
      expect(await endOperation(store, id, now())).toMatchObject({ finishedAt: now(), changed: 1 })
      const { items } = await store.operationTargets(id, { limit: 10 })
      expect(items.map(({ jobKey, status }) => [jobKey, status])).toEqual([
        [failed, 'changed'],
        [available, 'skipped'],
        [999, 'not_found'],
      ])
      expect(items[0]?.image).toMatchObject({
        of: 'job',
        attempt: 1,
        before: { state: 'failed' },
        after: { state: 'available' },
      })
      expect(scene.faults()).toEqual([])
    })

    it('keeps one target once: what is there stays, unless it was only meant', async () => {
      const scene = await stage()
      const { store, now } = scene
      const key = await stopped(scene)
      const id = await begin(scene, { matched: 2 })
      const pending = { jobKey: key, name: '', status: 'pending' as const, why: '', image: null }
      await addOperationTargets(
        store,
        id,
        [pending, { ...pending, jobKey: 7, status: 'skipped', why: 'passed by' }],
        now(),
      )
      expect(await store.operation(id)).toMatchObject({ changed: 0, skipped: 1 })
      const resolution = { jobKey: key, verb: 'resolve' as const, who: 'ada', reason: null, operation: id }
      await resolveJobs(store, [resolution], now())
      await resolveJobs(store, [resolution], now())
      expect(await store.operation(id)).toMatchObject({ changed: 1, skipped: 1, failed: 0 })
      expect(scene.faults()).toEqual([])
    })

    it('lists newest first, by person, verb and time, in pages', async () => {
      const scene = await stage()
      const { store, clock, now } = scene
      const first = await begin(scene)
      await clock.advance(1_000)
      const second = await begin(scene, { verb: 'cancel', who: 'Bob@box' })
      const third = await begin(scene)
      const ids = async (...args: Parameters<typeof store.operations>) =>
        (await store.operations(...args)).items.map(({ id }) => id)
      expect(await ids({}, { limit: 10 })).toEqual([third, second, first])
      expect(await ids({ who: 'bob' }, { limit: 10 })).toEqual([second])
      expect(await ids({ verbs: ['resolve'] }, { limit: 10 })).toEqual([third, first])
      expect(await ids({ since: now() }, { limit: 10 })).toEqual([third, second])
      const page = await store.operations({}, { limit: 2 })
      expect(page.next).not.toBeNull()
      expect(await ids({}, { limit: 2, cursor: page.next ?? '' })).toEqual([first])
      await expect(store.operations({}, { limit: 2, cursor: 'x' })).rejects.toMatchObject({ code: 'usage' })
    })

    it('pages its targets by key and name', async () => {
      const scene = await stage()
      const { store, now } = scene
      const id = await begin(scene, { matched: 5 })
      const target = { status: 'changed' as const, why: '', image: null }
      const names = [
        { jobKey: 0, name: 'a.b c' },
        { jobKey: 0, name: 'ß' },
        { jobKey: 3, name: '' },
        { jobKey: 3, name: 'charge' },
        { jobKey: 12, name: '' },
      ]
      await addOperationTargets(
        store,
        id,
        names.map((name) => ({ ...name, ...target })),
        now(),
      )
      const found: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof store.operationTargets>> = await store.operationTargets(
          id,
          cursor === '' ? { limit: 2 } : { limit: 2, cursor },
        )
        found.push(...page.items.map(({ jobKey, name }) => ({ jobKey, name })))
        cursor = page.next
      }
      expect(found).toEqual(names)
      await expect(store.operationTargets(id, { limit: 2, cursor: 'x' })).rejects.toMatchObject({
        code: 'usage',
      })
    })

    it('records pauses, breakers, steps and workers with the change', async () => {
      const scene = await stage()
      const { store, now, join, add, claimOne } = scene
      const pause = await begin(scene, { verb: 'pause', matched: 2 })
      await pauseTypes(store, ['a'], { paused: true, reason: null, who: 'ada' }, now())
      await pauseTypes(store, ['a', 'b'], { paused: true, reason: null, who: 'ada', operation: pause }, now())
      const trip = await begin(scene, { verb: 'trip' })
      await changeBreaker(store, { ...trippedBreaker, operation: trip }, now())
      await join()
      const key = await add()
      const fence = { jobKey: key, attempt: (await claimOne()).attempt, workerId: 'w#1' }
      await store.beginStep(fence, 'charge', now())
      const forget = await begin(scene, { verb: 'forget' })
      await forgetSteps(
        store,
        { jobKey: key, step: 'charge', who: 'ada', reason: null, operation: forget },
        now(),
      )
      const release = await begin(scene, { verb: 'release' })
      await retireWorkers(store, ['w#1'], now(), {
        who: 'ada',
        reason: null,
        forced: true,
        operation: release,
      })
      const told = async (id: number) =>
        (await store.operationTargets(id, { limit: 9 })).items.map(({ jobKey, name, status }) => [
          jobKey,
          name,
          status,
        ])
      expect(await told(pause)).toEqual([
        [0, 'a', 'skipped'],
        [0, 'b', 'changed'],
      ])
      expect([await told(trip), await told(forget), await told(release)]).toEqual([
        [[0, 'stripe', 'changed']],
        [[key, 'charge', 'changed']],
        [[0, 'w#1', 'changed']],
      ])
      expect(scene.faults()).toEqual([])
    })

    it('goes with the other old rows, in small batches, its targets first', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const id = await begin(scene, { matched: 1_200 })
      const targets = Array.from({ length: 1_200 }, (_, index) => ({
        jobKey: index + 1,
        name: '',
        status: 'changed' as const,
        why: '',
        image: null,
      }))
      await addOperationTargets(store, id, targets, now())
      await clock.advance(29 * day)
      const young = await begin(scene)
      const policy = { finishedMs: null, deadLettersMs: null, idempotencyKeysMs: null, statsMs: 30 * day }
      expect(await store.prune(policy, now())).toMatchObject({ stats: 0, more: false })
      await clock.advance(day + 1)
      const first = await store.prune(policy, now())
      expect([first.stats <= 1_000, first.more]).toEqual([true, true])
      expect(scene.faults()).toEqual([])
      for (let more = true; more; ) more = (await store.prune(policy, now())).more
      expect(await store.operation(id)).toBeNull()
      expect((await store.operationTargets(id, { limit: 1 })).items).toEqual([])
      expect(await store.operation(young)).not.toBeNull()
    })
  })

  describe('an undo', () => {
    it('brings a resolved job back as it was, its incident and dead letter open again with their identity', async () => {
      const scene = await stage()
      const { enqueue, claim, settle, clock, resolve } = scene
      await enqueue({ variables: { amount: -1 } }, { retries: 1 }, { retries: 2 })
      const [poisoned, dead, waiting] = await claim()
      if (!poisoned || !dead || !waiting) throw new Error('not claimed')
      await settle(poisoned, outcomes.poison())
      await settle(dead, outcomes.fail(), { policy: exhaustedToDeadLetter })
      await settle(waiting, outcomes.fail(60_000))
      const keys = [poisoned.key, dead.key, waiting.key]
      const before = await Promise.all(keys.map((key) => seen(scene, key)))
      await clock.advance(10)
      const id = await operate(scene, 'retry', keys)
      await clock.advance(10)
      const { undone, operation } = await undo(scene, id)
      expect(undone.map(({ status, why }) => [status, why])).toEqual(keys.map(() => ['changed', '']))
      expect(operation).toMatchObject({ undoes: id, changed: 3, skipped: 0, failed: 0 })
      expect(await Promise.all(keys.map((key) => seen(scene, key)))).toEqual(before)
      expect((await scene.store.operation(id))?.undoneBy).toBe(operation.id)
      expect((await scene.detail(poisoned.key)).history.map(({ event, who }) => [event, who])).toEqual([
        ['retried', 'ada@laptop'],
        ['undone', 'bob'],
      ])
      expect(scene.faults()).toEqual([])
      expect(await resolve(poisoned.key, 'resolve')).toMatchObject({ status: 'changed' })
    })

    it('puts variables back, and the effects in their epoch, and names the steps that stay forgotten', async () => {
      const scene = await stage()
      const { add, claimOne, settle, store, now, detail } = scene
      const key = await add({ variables: { amount: 1, to: 'x' } })
      const job = await claimOne()
      await store.completeStep({ jobKey: key, attempt: 1, workerId: 'w#1' }, 'charge', '1', now())
      await settle(job, outcomes.raised())
      const id = await operate(scene, 'resolve', [key], {
        set: [{ path: 'amount', value: 10, add: false }],
        newEffects: true,
      })
      expect(await detail(key)).toMatchObject({
        variables: '{"amount":10,"to":"x"}',
        effectsEpoch: 1,
        steps: [],
      })
      const { undone } = await undo(scene, id)
      expect(undone).toMatchObject([
        { status: 'changed', partly: true, why: expect.stringContaining('charge') },
      ])
      expect(await detail(key)).toMatchObject({
        job: { state: 'failed' },
        variables: '{"amount":1,"to":"x"}',
        effectsEpoch: 0,
      })
    })

    it('leaves alone what has started since, and says so; the others come back', async () => {
      const scene = await stage()
      const [first, second] = [await stopped(scene), await stopped(scene)]
      const id = await operate(scene, 'resolve', [first, second])
      const started = await scene.claimOne()
      const left = started.key === first ? second : first
      const { undone, operation } = await undo(scene, id)
      expect(operation).toMatchObject({ matched: 2, changed: 1, failed: 1 })
      expect(undone.find(({ status }) => status === 'failed')?.why).toBe(
        `attempt 2 of job ${started.key} has started since (it is running)`,
      )
      await scene.expectState(left, 'failed')
      await scene.expectState(started.key, 'running')
    })

    it('leaves alone what another operation has changed since', async () => {
      const scene = await stage()
      const { clock, resolve, store, now } = scene
      const [cancelled, set] = [await stopped(scene), await stopped(scene, { variables: { a: 1 } })]
      const id = await operate(scene, 'resolve', [cancelled, set], {})
      await clock.advance(5)
      await resolve(cancelled, 'cancel')
      const { undone } = await undo(scene, id)
      expect(undone.map(({ status, why }) => [status, why])).toEqual([
        ['failed', `job ${cancelled} was left available, and is cancelled now`],
        ['changed', ''],
      ])
      const operations = await store.operations({ undoable: true }, { limit: 10 })
      expect(operations.items).toEqual([])
      expect(await store.operation(id)).toMatchObject({ changed: 2, undone: 1 })
      await expect(begin(scene, { verb: 'undo', undoes: 4711 })).rejects.toMatchObject({ code: 'not_found' })
      expect(now()).toBeGreaterThan(0)
    })

    it('can be asked for again while something of it has not come back, and not when all has', async () => {
      const scene = await stage()
      const { store } = scene
      const [one, other] = [await stopped(scene), await stopped(scene)]
      const id = await operate(scene, 'resolve', [one, other])
      const raised = await operate(scene, 'update', [other], { priority: 9 })
      const first = await undo(scene, id)
      expect(first.undone.map(({ status }) => status)).toEqual(['changed', 'failed'])
      expect(await store.operation(id)).toMatchObject({ undoneBy: first.operation.id, undone: 1 })
      await undo(scene, raised)
      const second = await undo(scene, id)
      expect(second.undone.map(({ jobKey, status }) => [jobKey, status])).toEqual([[other, 'changed']])
      expect(await store.operation(id)).toMatchObject({ undoneBy: second.operation.id, undone: 2 })
      for (const key of [one, other]) await scene.expectState(key, 'failed')
      await expect(begin(scene, { verb: 'undo', undoes: id })).rejects.toMatchObject({ code: 'conflict' })
    })

    it('goes on where it was broken off, and brings nothing back twice', async () => {
      const scene = await stage()
      const { store, now } = scene
      const keys = [await stopped(scene), await stopped(scene)]
      const id = await operate(scene, 'resolve', keys)
      const half = await begin(scene, { verb: 'undo', undoes: id, matched: 2 })
      const [first = 0] = keys
      await undoTargets(
        store,
        { operation: half, of: id, targets: [{ jobKey: first, name: '' }], who: 'bob', reason: null },
        now(),
      )
      expect((await store.operation(id))?.undoneBy).toBeNull()
      const again = await begin(scene, { verb: 'undo', undoes: id, matched: 2 })
      const targets = keys.map((jobKey) => ({ jobKey, name: '' }))
      const undone = await undoTargets(
        store,
        { operation: again, of: id, targets, who: 'bob', reason: null },
        now(),
      )
      expect(undone.map(({ status }) => status)).toEqual(['skipped', 'changed'])
      expect(undone[0]?.why).toContain(`operation ${half}`)
      await endOperation(store, again, now())
      expect((await store.operation(id))?.undoneBy).toBe(again)
      for (const key of keys) await scene.expectState(key, 'failed')
    })

    it('races the claims of another process: each job either comes back or starts, and is told as what it is', async ({
      skip,
    }) => {
      const scene = await stage()
      const { enqueue, claim, settle, store, now, another } = scene
      if (another === null) return skip()
      await enqueue(...Array.from({ length: 60 }, () => ({})))
      const jobs = await claim({ limit: 60 })
      for (const job of jobs) await settle(job, outcomes.raised())
      await pauseTypes(store, ['t'], { paused: false, reason: null, who: 'ada' }, now())
      await scene.clock.advance(60_000)
      const keys = jobs.map(({ key }) => key)
      const id = await operate(scene, 'resolve', keys)
      const rival = await another()
      const operation = await begin(scene, { verb: 'undo', undoes: id, matched: 60 })
      const parts = Array.from({ length: 12 }, (_, part) => keys.slice(part * 5, part * 5 + 5))
      const undone: Undone[] = []
      const started: number[] = []
      await Promise.all([
        (async () => {
          for (const part of parts) {
            const targets = part.map((jobKey) => ({ jobKey, name: '' }))
            undone.push(
              ...(await undoTargets(store, { operation, of: id, targets, who: 'bob', reason: null }, now())),
            )
          }
        })(),
        (async () => {
          for (let round = 0; round < 12; round++) {
            const { claimed } = await rival.exchange(
              { settlements: [], claim: claimRequest({ limit: 2, workerId: 'w#2' }) },
              now(),
            )
            started.push(...claimed.map(({ key }) => key))
          }
        })(),
      ])
      const back = undone.filter(({ status }) => status === 'changed').map(({ jobKey }) => jobKey)
      const left = undone.filter(({ status }) => status === 'failed').map(({ jobKey }) => jobKey)
      expect(back.filter((key) => started.includes(key))).toEqual([])
      expect(left.every((key) => started.includes(key))).toBe(true)
      expect(back.length + left.length).toBe(60)
      for (const key of back) expect((await scene.detail(key)).job.state).toBe('failed')
      expect(scene.faults()).toEqual([])
    })

    it('ends a pause and begins one again, with its reason and its row of stops', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const types = async () => (await store.types(now())).filter(({ type }) => type === 'mail')
      const pause = async (paused: boolean, operation?: number) =>
        pauseTypes(
          store,
          ['mail'],
          { paused, reason: 'down', who: 'ada', ...(operation === undefined ? {} : { operation }) },
          now(),
        )
      const paused = await begin(scene, { verb: 'pause' })
      await pause(true, paused)
      expect((await undo(scene, paused)).undone).toMatchObject([{ status: 'changed' }])
      expect((await store.pausedTypes(now())).length).toBe(0)
      await pause(true)
      const before = await types()
      await clock.advance(10)
      const resumed = await begin(scene, { verb: 'resume' })
      await pause(false, resumed)
      expect((await undo(scene, resumed)).undone).toMatchObject([{ status: 'changed' }])
      expect(await types()).toEqual(before)
      const again = await begin(scene, { verb: 'resume' })
      await pause(false, again)
      await clock.advance(10)
      await pause(true)
      expect((await undo(scene, again)).undone).toMatchObject([
        { status: 'failed', why: 'the type mail was changed since: it is paused by ada now' },
      ])
    })

    it('closes a tripped breaker and opens a closed one, unless it has turned since', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const trip = await begin(scene, { verb: 'trip' })
      await changeBreaker(store, { ...trippedBreaker, operation: trip }, now())
      expect((await undo(scene, trip)).undone).toMatchObject([{ name: 'stripe', status: 'changed' }])
      expect(await store.breaker('stripe')).toMatchObject({ mode: 'closed', generation: 2 })
      await changeBreaker(store, trippedBreaker, now())
      const close = await begin(scene, { verb: 'close' })
      const closed = { name: 'stripe', event: { kind: 'close' }, who: 'ada', reason: null } as const
      await changeBreaker(store, { ...closed, operation: close }, now())
      await clock.advance(10)
      expect((await undo(scene, close)).undone).toMatchObject([{ status: 'changed' }])
      expect(await store.breaker('stripe')).toMatchObject({
        mode: 'open',
        expiresAt: now() - 10 + 30_000,
        generation: 5,
      })
      const again = await begin(scene, { verb: 'trip' })
      await changeBreaker(store, { ...trippedBreaker, operation: again }, now())
      await changeBreaker(store, trippedBreaker, now())
      expect((await undo(scene, again)).undone).toMatchObject([
        { status: 'failed', why: 'the breaker stripe has turned since' },
      ])
    })
  })
}
