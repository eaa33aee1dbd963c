import { expect, it } from 'vitest'
import { createFakeClock, runHandler } from 'wfkit/testing'
import { slowReport } from '../../examples/slow-report.ts'

it('adds up the month, says how far it is, and hands on to the one that sends it', async () => {
  const run = await runHandler(slowReport, { month: '2026-02', fromDay: 27 })
  expect(run).toMatchObject({ outcome: 'success', result: { month: '2026-02' } })
  expect(run.progress[0]).toEqual({ fraction: 27 / 28, note: '2026-02-27' })
  expect(run.children.map(({ job, variables }) => [job.type, variables])).toEqual([
    [
      'send-report',
      { month: '2026-02', text: `Revenue ${run.result && 'total' in run.result ? run.result.total : ''}` },
    ],
  ])
})

it('starts where the attempt before it had no time left', async () => {
  const clock = createFakeClock()
  const running = runHandler(slowReport, { month: '2026-02' }, { clock })
  await clock.advance(20_001)
  const run = await running
  expect(run).toMatchObject({ outcome: 'success', job: { state: 'completed' } })
  const day = run.result && 'continuedFromDay' in run.result ? run.result.continuedFromDay : 0
  expect(day).toBeGreaterThan(0)
  expect(run.children.map(({ job, variables }) => [job.type, variables])).toEqual([
    ['slow-report', { month: '2026-02', fromDay: day, soFar: expect.any(Number) }],
  ])
})

it('is given back by a shutdown, and nobody is told that the report failed', async () => {
  const clock = createFakeClock()
  const running = runHandler(
    slowReport,
    { month: '2026-02' },
    { clock, abort: { reason: 'shutdown', inMs: 1 } },
  )
  await clock.advance(1)
  expect(await running).toMatchObject({
    outcome: 'interrupted',
    job: { state: 'available', retries: 3 },
    children: [],
  })
})

it('says so to the one who waits when the report cannot be made', async () => {
  const clock = createFakeClock()
  const running = runHandler(
    slowReport,
    { month: '2026-02' },
    { clock, retries: 1, abort: { reason: 'timeout', inMs: 1 } },
  )
  await clock.advance(1)
  const run = await running
  expect(run).toMatchObject({ outcome: 'fail', incident: 'job_no_retries' })
  expect(run.children.map(({ variables }) => variables)).toEqual([
    { month: '2026-02', text: 'The report could not be made.' },
  ])
})
