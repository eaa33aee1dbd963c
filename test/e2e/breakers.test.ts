import { stepsOf } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { Scene } from '../support/scene.ts'

const stripe =
  'dependencies: { stripe: { breaker: { failures: 2, openFor: "1h" }, retry: { attempts: 1 } } },'

describe('worker processes that share a breaker', () => {
  // A26
  it('a trip from the command line holds a running worker within a second, at no retry, until it is closed', async () => {
    const scene = await Scene.open()
    const file = scene.handler('charge', 'await ctx.call("stripe", async () => mark("call"))', stripe)
    const worker = scene.worker([file, scene.handler('plain', '')])
    const [first = 0] = await scene.enqueue({ type: 'charge' })
    await scene.until(first, 'completed')
    expect(scene.wf(['breakers', 'trip', 'stripe', '--for', '1h', '--reason', 'drill']).code).toBe(0)
    await worker.says(/the breaker of stripe opened by an operator/)
    const held = await scene.enqueue(...Array.from({ length: 20 }, () => ({ type: 'charge' })))
    // Whoever takes this one has passed the others by.
    const [other = 0] = await scene.enqueue({ type: 'plain' })
    await scene.until(other, 'completed')
    expect(scene.marks.count('call')).toBe(1)
    expect(scene.wf(['jobs', 'show', String(held[0])]).out).toMatch(
      /held +the breaker of stripe is open for another (?:1h|5\dm)[^\n]*: drill/,
    )
    expect(scene.wf(['breakers', 'close', 'stripe', '--reason', 'the drill is over']).code).toBe(0)
    for (const key of held) {
      expect(await scene.until(key, 'completed')).toMatchObject({ retries: 3, failures: 0 })
    }
    expect(scene.marks.count('call')).toBe(21)
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  // A26
  it('what one worker process opens holds another, and the store says why', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'charge',
      'await ctx.call("stripe", async () => { mark("call"); throw Object.assign(new Error("down"), { status: 503 }) })',
      stripe,
    )
    const workers = [scene.worker([file]), scene.worker([file])]
    const keys = await scene.enqueue(...Array.from({ length: 4 }, () => ({ type: 'charge' })))
    await scene.marks.until((lines) => lines.length >= 2, 'two calls have failed')
    for (const worker of workers) await worker.says(/the breaker of stripe opened/)
    const called = scene.marks.count('call')
    await scene.enqueue(...Array.from({ length: 20 }, () => ({ type: 'charge' })))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(scene.marks.count('call')).toBe(called)
    expect(scene.wf(['breakers', 'list']).out).toMatch(
      /stripe +open .* \d+m +\d+ +\S+\.1#\w+ +\d failures in a row/,
    )
    expect(keys.length).toBe(4)
    for (const worker of workers) {
      worker.signal('SIGTERM')
      await worker.exits(0)
    }
  })
})

describe('a step that is killed in the middle', () => {
  // A30
  it('kill -9 inside once: the next attempt asks the other side, and the unknown outcome is shown', async () => {
    const scene = await Scene.open()
    const run = `await ctx.once("charge", () => { mark("charge"); if (job.attempt === 1) process.kill(process.pid, "SIGKILL"); return new Promise(() => {}) },
      { verify: () => { mark("verify"); return variables.found } })`
    const file = scene.handler('charge', run)
    const [key = 0] = await scene.enqueue({ type: 'charge', variables: { found: 'ch_1' } })
    const worker = scene.worker([file])
    await scene.until(key, 'completed')
    expect([scene.marks.count('charge'), scene.marks.count('verify')]).toEqual([1, 1])
    expect(await stepsOf(scene.store, key)).toMatchObject([
      { step: 'charge', attempt: 2, result: '"ch_1"', unknowns: 1 },
    ])
    expect(scene.wf(['jobs', 'show', String(key)]).out).toMatch(
      /charge +done .*an attempt before ended without saying how/,
    )
    worker.signal('SIGTERM')
    await worker.exits(0)
  })
})
