/** How the author of the lesson would test it: one attempt at a time, on a store in memory. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFakeClock, runHandler } from 'wfkit/testing'
import charge from '../../examples/charge-payment.ts'

const order = { orderId: 'o-1', amount: 30, currency: 'EUR', card: 'tok_visa' }

let answer: { status: number; body: object; headers?: Record<string, string> } | 'never'
let asked: { key: string | undefined; body: unknown }[]
let gateway: Server

beforeEach(async () => {
  asked = []
  gateway = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push({
        key: request.headers['idempotency-key']?.toString(),
        body: JSON.parse(Buffer.concat(chunks).toString()),
      })
      if (answer !== 'never')
        response.writeHead(answer.status, answer.headers ?? {}).end(JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  process.env['PAYMENT_GATEWAY'] = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
})

afterEach(async () => {
  delete process.env['PAYMENT_GATEWAY']
  gateway.closeAllConnections()
  await new Promise((resolve) => gateway.close(resolve))
})

it('charges under the key of the job, the same for every attempt', async () => {
  answer = { status: 201, body: { chargeId: 'ch_1' } }
  const run = await runHandler(charge, order, { attempt: 3 })
  expect(run).toMatchObject({
    outcome: 'success',
    result: { chargeId: 'ch_1' },
    job: { state: 'completed', attempt: 3 },
  })
  expect(asked).toEqual([{ key: expect.stringMatching(/^wf-job-1-/), body: order }])
})

it('rejects a declined card without a retry', async () => {
  answer = { status: 402, body: { code: 'CARD_DECLINED', message: 'insufficient funds' } }
  const run = await runHandler(charge, order)
  expect(run).toMatchObject({
    outcome: 'business_error',
    job: { state: 'rejected', retries: 5 },
    incident: null,
  })
})

it('stops for a person at a refusal that it does not know', async () => {
  answer = { status: 402, body: { code: 'CARD_STOLEN', message: 'reported stolen' } }
  expect(await runHandler(charge, order)).toMatchObject({
    job: { state: 'failed' },
    incident: 'unhandled_business_error',
    error: { code: 'CARD_STOLEN' },
  })
})

it('comes back after half a second when the bank of the card is down, and stops when no retries are left', async () => {
  answer = { status: 502, body: { code: 'BANK_DOWN' } }
  const first = await runHandler(charge, order)
  expect(first.job).toMatchObject({ state: 'waiting', waitReason: 'backoff', retries: 4 })
  const delay = first.job.runAt - (first.job.startedAt ?? 0)
  expect(delay).toBeGreaterThanOrEqual(400)
  expect(delay).toBeLessThanOrEqual(600)
  expect(await runHandler(charge, order, { retries: 1 })).toMatchObject({
    job: { state: 'failed', retries: 0 },
    incident: 'job_no_retries',
  })
})

it('hangs up when the time of the attempt is up', async () => {
  answer = 'never'
  const clock = createFakeClock()
  const running = runHandler(charge, order, { clock })
  await new Promise<void>((resolve) => gateway.once('request', () => resolve()))
  await clock.advance(20_000)
  expect(await running).toMatchObject({ outcome: 'fail', job: { state: 'waiting', retries: 4 } })
})

it('never charges an order that is malformed', async () => {
  for (const malformed of [
    { ...order, amount: '30' },
    { ...order, amount: -1 },
    { ...order, currency: 'EURO' },
    { ...order, card: 'visa' },
    {},
  ]) {
    expect(await runHandler(charge, malformed)).toMatchObject({
      outcome: 'poison',
      incident: 'poison_message',
      job: { state: 'failed', retries: 5 },
    })
  }
  expect(asked).toEqual([])
})

it('asks three times within one attempt when the gateway is down, under one key', async () => {
  answer = { status: 503, body: {} }
  const clock = createFakeClock()
  const running = runHandler(charge, order, { clock })
  // In small steps: the requests are real, and their answers come when they come.
  while (asked.length < 3) await clock.advance(1)
  expect(await running).toMatchObject({ outcome: 'fail', job: { state: 'waiting', retries: 4 } })
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1)
  expect(asked).toHaveLength(3)
})

it('comes back when the gateway says, and loses no retry', async () => {
  answer = { status: 503, body: {}, headers: { 'retry-after': '120' } }
  const run = await runHandler(charge, order)
  expect(run).toMatchObject({
    outcome: 'defer',
    job: { state: 'waiting', waitReason: 'deferred', retries: 5 },
  })
  expect(run.job.runAt - (run.job.startedAt ?? 0)).toBeGreaterThanOrEqual(120_000)
})
