/** The lessons do what they say, typed as they say it: real commands, real worker processes, a real gateway. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder, root, startWf, wf } from '../support/processes.ts'

interface Listed {
  items: readonly {
    key: number
    type: string
    state: string
    kind?: string
    error?: { message: string }
    errorMessage?: string
    attempt: number
  }[]
}

interface Shown {
  state: string
  attempt: number
  result?: unknown
}

/** A folder with a store, as its reader would have it. */
function lesson(file: string, env: Record<string, string> = {}) {
  const folder = freshFolder()
  const at = { cwd: folder, env }
  const read = <T>(...args: string[]) => JSON.parse(wf([...args, '--json'], at).out) as T
  return {
    enqueue: (type: string, variables: object) =>
      Number(wf(['enqueue', type, JSON.stringify(variables), '--ids'], at).out),
    async work(exit: number) {
      const worker = await startWf(['run-worker', join(root, 'examples', file), '--until-empty'], at).exits(
        exit,
      )
      return worker.said
    },
    /** Oldest job first. */
    list: (topic: string) => [...read<Listed>(topic, 'list').items].sort((a, b) => a.key - b.key),
    show: (key: number) => read<Shown>('jobs', 'show', String(key)),
  }
}

describe('charge-payment', () => {
  let gateway: ChildProcess
  let url = ''

  beforeAll(async () => {
    gateway = fork(join(root, 'examples/demo/gateway.mjs'), ['--slow', '1-5'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [message] = (await once(gateway, 'message')) as [{ url: string }]
    url = message.url
  })
  afterAll(() => {
    gateway.kill()
  })

  const order = { orderId: 'o-1', amount: 30, currency: 'EUR', card: 'tok_visa' }

  it('charges a good card once, rejects a declined one, sets malformed orders aside and stops at a stolen card', async () => {
    const { enqueue, work, list, show } = lesson('charge-payment.ts', { PAYMENT_GATEWAY: url })
    const good = enqueue('charge-payment', order)
    const declined = enqueue('charge-payment', { ...order, orderId: 'o-2', card: 'tok_declined' })
    const stolen = enqueue('charge-payment', { ...order, orderId: 'o-3', card: 'tok_stolen' })
    const malformed = enqueue('charge-payment', { ...order, orderId: 'o-4', amount: '30' })
    await work(10)
    expect(show(good)).toMatchObject({
      state: 'completed',
      result: { chargeId: expect.stringMatching(/^ch_/) },
    })
    expect(show(declined)).toMatchObject({ state: 'rejected', attempt: 1 })
    expect(list('incidents').map(({ key, kind }) => [key, kind])).toEqual(
      expect.arrayContaining([
        [stolen, 'unhandled_business_error'],
        [malformed, 'poison_message'],
      ]),
    )
    expect(list('dlq').map(({ key }) => key)).toEqual([malformed])
    const ledger = (await (await fetch(`${url}/ledger`)).json()) as {
      charges: { key: string; orderId: string }[]
    }
    expect(ledger.charges.map(({ orderId }) => orderId)).toEqual(['o-1'])
    expect(ledger.charges[0]?.key).toMatch(new RegExp(`^wf-job-${good}-`))
  })
})

describe('poison-order', () => {
  const line = { sku: 'tea', quantity: 2, price: 4.5 }

  it('tells what can never succeed from what a person can mend', async () => {
    const { enqueue, work, list, show } = lesson('poison-order.ts')
    const good = enqueue('import-order', { orderId: 'o-1', lines: [line], total: 9 })
    const shapeless = enqueue('import-order', { orderId: 'o-2', lines: 'none' })
    const wrongTotal = enqueue('import-order', { orderId: 'o-3', lines: [line], total: 10 })
    const unknown = enqueue('import-order', { orderId: 'o-4', lines: [{ ...line, sku: 'rum' }], total: 9 })
    await work(10)
    expect(show(good)).toMatchObject({ state: 'completed', result: { orderId: 'o-1', lines: 1, total: 9 } })
    expect(list('dlq').map(({ key }) => key)).toEqual([shapeless, wrongTotal])
    expect(list('incidents').map(({ key, kind, attempt }) => [key, kind, attempt])).toEqual([
      [shapeless, 'poison_message', 1],
      [wrongTotal, 'poison_message', 1],
      [unknown, 'raised', 1],
    ])
  })
})

describe('slow-report', () => {
  it('makes the report and sends it, each as a job of its own', async () => {
    const { enqueue, work, list, show } = lesson('slow-report.ts')
    const key = enqueue('slow-report', { month: '2026-02' })
    await work(0)
    expect(show(key)).toMatchObject({ state: 'completed', result: { month: '2026-02' } })
    expect(list('jobs').map(({ type, state }) => [type, state])).toEqual([
      ['slow-report', 'completed'],
      ['send-report', 'completed'],
    ])
  })
})
