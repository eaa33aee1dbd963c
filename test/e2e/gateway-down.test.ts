/** An outage of what jobs call: real worker processes, a real gateway, its own count against the breaker's history. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually, root } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

interface Outage {
  downAt: number | null
  upAt: number | null
  refused: { at: number; orderId: string }[]
  after: { at: number; orderId: string }[]
}

interface Change {
  at: number
  event: string
}

interface Trial {
  outage: Outage
  history: Change[]
  charges: { orderId: string }[]
  spent: number
  held: number
  terms: { processes: number; failures: number; probes: number; atOnce: number }
}

const demo = join(root, 'examples/demo')
const judge = (await import(pathToFileURL(join(demo, 'judge-outage.mjs')).href)) as {
  judgeOutage(trial: Trial): { promises: { kept: boolean; words: string }[] }
}
const terms = { processes: 2, failures: 5, probes: 1, atOnce: 5 }

/** A machine that checks may be busy with much else. */
const longestMs = 120_000

let gateway: ChildProcess | null = null
afterEach(() => {
  gateway?.kill()
  gateway = null
})

async function startGateway(slow: string) {
  gateway = fork(join(demo, 'gateway.mjs'), ['--slow', slow], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = (await once(gateway, 'message')) as [{ url: string }]
  const ask = async <T>(path: string, method = 'GET') =>
    (await (await fetch(`${url}${path}`, { method })).json()) as T
  return { url, ask }
}

describe('the gateway is down for a while', () => {
  // A25 A26
  it('costs no retry and no second charge, and the gateway is met by the probes only', async () => {
    const scene = await Scene.open()
    const { url, ask } = await startGateway('60-140')
    const order = (number: number) => ({
      orderId: `o-${number}`,
      amount: number,
      currency: 'EUR',
      card: 'tok_visa',
    })
    const orders = Array.from({ length: 100 }, (_, at) => ({
      type: 'charge-payment',
      variables: order(at + 1),
    }))
    const keys = await scene.enqueue(...orders.slice(0, 20))
    const env = { PAYMENT_GATEWAY: url, DEMO_OPEN_FOR: '2s' }
    const worker = scene.worker([join(demo, 'charge-payment.ts'), '--processes', '2'], { env })
    await eventually(
      async () => (await ask<{ charges: number }>('/counts')).charges > 10,
      'cards are charged',
      longestMs,
    )

    await ask('/down', 'POST')
    // However fast the others were charged, these meet the outage.
    keys.push(...(await scene.enqueue(...orders.slice(20))))
    const opened = async () =>
      (await scene.store.breakerHistory('gateway', 100)).filter(({ event }) => event === 'breaker_opened')
    await eventually(async () => (await opened()).length >= 2, 'a probe has failed', longestMs)
    const held = (await Promise.all(keys.map((key) => scene.detail(key)))).filter(
      ({ job }) => job.state !== 'completed',
    ).length
    await ask('/up', 'POST')
    for (const key of keys) await scene.until(key, 'completed')
    worker.signal('SIGTERM')
    await worker.exits(0)

    const details = await Promise.all(keys.map((key) => scene.detail(key)))
    expect(
      new Set(details.map(({ job: { state, retries, failures } }) => `${state} ${retries} ${failures}`)),
    ).toEqual(new Set(['completed 5 0']))
    const { charges } = await ask<{ charges: { orderId: string }[] }>('/ledger')
    expect([charges.length, new Set(charges.map(({ orderId }) => orderId)).size]).toEqual([100, 100])
    const outage = await ask<Outage>('/outage')
    const periods = await opened()
    const opening = terms.processes * (terms.failures - 1 + terms.atOnce)
    expect(outage.refused.length).toBeGreaterThanOrEqual(1)
    expect(outage.refused.length).toBeLessThanOrEqual(opening + terms.probes * periods.length)
    const history = [...(await scene.store.breakerHistory('gateway', 100))].reverse()
    const { promises } = judge.judgeOutage({ outage, history, charges, spent: 0, held, terms })
    expect(promises.filter(({ kept }) => !kept)).toEqual([])
  })
})

describe('the verdict of the demo', () => {
  const at = (...instants: number[]) =>
    instants.map((instant, number) => ({ at: instant, orderId: `o-${number}` }))
  const good: Trial = {
    outage: {
      downAt: 1_000,
      upAt: 9_000,
      refused: at(1_010, 4_050, 7_080),
      after: at(10_060, 10_200, 11_300, 11_400, 11_900),
    },
    history: [
      { at: 1_020, event: 'breaker_opened' },
      { at: 4_060, event: 'breaker_opened' },
      { at: 7_090, event: 'breaker_opened' },
      { at: 10_150, event: 'breaker_closed' },
    ],
    charges: [{ orderId: 'o-1' }, { orderId: 'o-2' }],
    spent: 0,
    held: 100,
    terms,
  }
  const broken = (trial: Trial) => judge.judgeOutage(trial).promises.filter(({ kept }) => !kept).length
  const seen = (change: Partial<Outage>) => ({ ...good, outage: { ...good.outage, ...change } })

  it('is good where every promise was kept', () => {
    expect(broken(good)).toBe(0)
  })

  it('names each promise that was not', () => {
    expect(broken({ ...good, spent: 1 })).toBe(1)
    expect(broken({ ...good, held: 0 })).toBe(1)
    expect(broken({ ...good, charges: [...good.charges, { orderId: 'o-1' }] })).toBe(1)
    expect(broken({ ...good, history: good.history.slice(0, 3) })).toBe(1)
    expect(broken({ ...good, history: [] })).toBe(1)
    expect(broken(seen({ refused: at(1_010, 4_050, 7_080, 7_085) }))).toBe(1)
    expect(broken(seen({ refused: at(1_010, 4_050, 5_500, 7_080) }))).toBe(1)
    const many = (length: number) => at(...Array.from({ length }, (_, number) => 1_001 + number), 4_050)
    expect([broken(seen({ refused: many(18) })), broken(seen({ refused: many(19) }))]).toEqual([0, 1])
    expect(broken(seen({ after: at(10_160, 10_200, 10_300, 10_400, 10_500, 10_600) }))).toBe(1)
  })
})
