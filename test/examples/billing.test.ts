/** The billing lesson from end to end: a month enqueued, worked off by the built wf, and what came of each customer. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { runHandler } from 'wfkit/testing'
import charge from '../../examples/billing/charge.ts'
import { freshFolder, root, startWf, wf } from '../support/processes.ts'

interface Job {
  key: number
  type: string
  state: string
  attempt: number
}

const billing = join(root, 'examples/billing')
const jiti = join(root, 'node_modules/.bin/jiti')

let gateway: ChildProcess | null = null
afterEach(() => {
  gateway?.kill()
  gateway = null
  delete process.env['PAYMENT_GATEWAY']
})

async function startGateway(): Promise<string> {
  gateway = fork(join(root, 'examples/demo/gateway.mjs'), ['--slow', '1-5'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = (await once(gateway, 'message')) as [{ url: string }]
  return url
}

function month() {
  const folder = freshFolder()
  const run = (...args: string[]) =>
    spawnSync(jiti, [join(billing, 'schedule.ts'), ...args], { cwd: folder, encoding: 'utf8' })
  const env = (url: string) => ({ PAYMENT_GATEWAY: url, BILLING_BACKOFF: '20ms' })
  return {
    folder,
    schedule: (...args: string[]) => {
      const { status, stdout, stderr } = run(...args)
      return { status, said: stdout + stderr }
    },
    async work(url: string) {
      const files = ['invoice.ts', 'charge.ts', 'reminder.ts'].map((file) => join(billing, file))
      await startWf(['run-worker', ...files, '--until-empty'], { cwd: folder, env: env(url) }).exits(10)
    },
    jobs: () =>
      (JSON.parse(wf(['jobs', 'list', '--json', '--limit', '100'], { cwd: folder }).out) as { items: Job[] })
        .items,
  }
}

it('bills every customer of a month once, however often it is scheduled', async () => {
  const url = await startGateway()
  const { folder, schedule, work, jobs } = month()
  expect(schedule('2026-11')).toEqual({ status: 0, said: '2026-11: 7 invoices enqueued\n' })
  expect(schedule('2026-11')).toEqual({
    status: 0,
    said: '2026-11: nothing to do, all 7 invoices were enqueued before\n',
  })
  await work(url)
  const before = jobs()
  const ends = before.map(({ type, state, attempt }) => `${type} ${state} ${attempt}`).sort()
  expect(ends).toEqual([
    ...Array.from({ length: 5 }, () => 'charge completed 1'),
    'charge dead 3',
    'charge rejected 1',
    ...Array.from({ length: 7 }, () => 'invoice completed 1'),
    ...Array.from({ length: 2 }, () => 'reminder completed 1'),
  ])
  const reminded = readFileSync(join(folder, 'outbox.txt'), 'utf8').trimEnd().split('\n').sort()
  expect(reminded.map((line) => line.slice(0, 10))).toEqual(['customer-3', 'customer-5'])
  expect(readFileSync(join(folder, 'invoices/2026-11/customer-7.txt'), 'utf8')).toContain(
    'customer-7 owes 47.50 EUR for 2026-11.',
  )

  expect(schedule('2026-11').said).toContain('nothing to do')
  expect(jobs()).toEqual(before)
  const { charges } = (await (await fetch(`${url}/ledger`)).json()) as { charges: { key: string }[] }
  expect(charges.map(({ key }) => key).sort()).toEqual(
    [1, 2, 4, 6, 7].map((number) => `charge/customer-${number}/2026-11`),
  )
})

it('schedules another month beside it, and refuses what is no month', () => {
  const { schedule, jobs } = month()
  schedule('2026-11')
  expect(schedule('2026-12').said).toBe('2026-12: 7 invoices enqueued\n')
  expect(schedule('2026-13')).toEqual({ status: 2, said: '2026-13 is no month; write it as 2026-11\n' })
  expect(jobs()).toHaveLength(14)
})

it('comes back an hour after the first failure, and sets the charge aside and reminds after the last', async () => {
  process.env['PAYMENT_GATEWAY'] = await startGateway()
  const owed = { customer: 'customer-5', period: '2026-11', amount: 19 }
  const hours = async (retries: number) => {
    const { job, children } = await runHandler(charge, owed, { retries })
    return {
      hours: (job.runAt - (job.startedAt ?? 0)) / 3_600_000,
      state: job.state,
      reminders: children.length,
    }
  }
  const first = await hours(3)
  expect([first.state, first.reminders]).toEqual(['waiting', 0])
  expect(Math.abs(first.hours - 1)).toBeLessThanOrEqual(0.2)
  expect(await hours(1)).toMatchObject({ state: 'dead', reminders: 1 })
  const stranger = await runHandler(charge, { ...owed, customer: 'customer-99' })
  expect(stranger).toMatchObject({ job: { state: 'failed' }, incident: 'raised', children: [] })
})
