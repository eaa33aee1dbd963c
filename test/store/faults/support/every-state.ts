import type { Outcome } from '../../../../src/domain/outcome.ts'
import { createFakeClock } from '../../../../src/testing/fake-clock.ts'
import {
  exhaustedToDeadLetter,
  outcomes,
  plainPolicy,
  sceneOn,
  type Scene,
} from '../../../support/store-scene.ts'
import { openWrite } from './files.ts'

/** A scene on a store in a file, with a worker `w#1`. */
export async function fileScene(path: string): Promise<Scene> {
  const clock = createFakeClock()
  const scene = sceneOn({
    store: await openWrite(path, { clock, lockTimeoutMs: 0 }),
    clock,
    another: null,
    faults: () => [],
  })
  await scene.join()
  return scene
}

/** A store with a job in each state, attempts, incidents, dead letters, history and an idempotency key; closed. */
export async function everyState(path: string): Promise<void> {
  const { store, add, claimOne, settle, resolve } = await fileScene(path)
  const run = async (outcome: Outcome, policy = plainPolicy) => {
    const key = await add({ variables: { text: 'ä'.repeat(3_000) }, retries: policy.retries })
    await settle(await claimOne(), outcome, { policy })
    return key
  }
  await run(outcomes.success({ ok: true }))
  await run(outcomes.business(true))
  await run(outcomes.raised())
  await run(outcomes.poison())
  await run(outcomes.fail(60_000))
  await run(outcomes.fail(), exhaustedToDeadLetter)
  await resolve(await run(outcomes.raised()), 'cancel')
  await add()
  await claimOne()
  await add({ idempotencyKey: 'k', priority: 3 })
  await store.close()
}
