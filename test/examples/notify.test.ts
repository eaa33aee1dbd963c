/** The lesson of several effects, one attempt at a time. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runHandler } from 'wfkit/testing'
import notify from '../../examples/notify.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

const order = { orderId: 'o-1', mail: 'ann@example.org', phone: '+49301234' }
let outbox: string

beforeEach(() => {
  outbox = join(temporaryDirectory(), 'outbox.jsonl')
  process.env['OUTBOX'] = outbox
})
afterEach(() => {
  delete process.env['OUTBOX']
  delete process.env['FLAKY']
})

async function sent() {
  const text = await readFile(outbox, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: string }).id)
}

// A31
it('sends both, and does without the statistics', async () => {
  const run = await runHandler(notify, order)
  expect(run).toMatchObject({
    outcome: 'success',
    result: { mail: 'mail-1', text: 'text-1', counted: false },
  })
  expect(run.degraded).toMatchObject([
    { feature: 'statistics', thrown: { message: expect.stringContaining('set STATISTICS') } },
  ])
  expect(await sent()).toEqual(['mail-1', 'text-1'])
})

// A30
it('keeps that the mail went out when the text message fails', async () => {
  process.env['FLAKY'] = '1'
  const run = await runHandler(notify, order)
  delete process.env['FLAKY']
  expect(run).toMatchObject({
    outcome: 'fail',
    steps: [{ step: 'mail', result: { id: 'mail-1' } }, { step: 'text' }],
  })
})

// A30
it('does not send the mail again in the next attempt', async () => {
  const run = await runHandler(notify, order, { attempt: 2, steps: { mail: { result: { id: 'mail-1' } } } })
  expect(run).toMatchObject({ outcome: 'success', result: { mail: 'mail-1', text: 'text-1' } })
  expect(await sent()).toEqual(['text-1'])
})

// A30
it('asks the outbox when nobody knows whether the mail went out', async () => {
  await runHandler(notify, order)
  const run = await runHandler(notify, order, { attempt: 2, steps: { mail: 'unknown', text: 'unknown' } })
  expect(run.outcome).toBe('success')
  expect(await sent()).toEqual(['mail-1', 'text-1'])
})
