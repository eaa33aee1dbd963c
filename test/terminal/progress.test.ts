import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createOutput } from '../../src/terminal/output.ts'
import { createProgress, progressLine } from '../../src/terminal/progress.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { memorySinks } from '../support/memory-sinks.ts'

describe('progress', () => {
  it('draws at most ten times a second on a terminal, and takes its line away', async () => {
    const sinks = memorySinks({ isTTY: true, columns: 40 })
    const clock = createFakeClock()
    const output = await createOutput({ sinks, env: {}, json: false, noColour: true })
    const progress = createProgress(output, clock, 'jobs')
    await clock.advance(1_000)
    progress.update(500, 0.5)
    progress.update(501, 0.5)
    await clock.advance(100)
    progress.update(1_000, 1)
    progress.end()
    const drawn = sinks.err.text.split('\r\u001b[K')
    expect(drawn).toHaveLength(4)
    expect(drawn[1]).toContain('50 %')
    expect(drawn[3]).toBe('')
    expect(drawn.every((line) => line.length < 40)).toBe(true)
  })

  it('is silent in a pipe and with --json', async () => {
    for (const [isTTY, json] of [
      [false, false],
      [true, true],
    ] as const) {
      const sinks = memorySinks({ isTTY })
      const progress = createProgress(
        await createOutput({ sinks, env: {}, json, noColour: true }),
        createFakeClock(),
        'jobs',
      )
      progress.update(1, 0.1)
      progress.end()
      expect(sinks.err.text).toBe('')
    }
  })

  // B136
  it('is silent on a terminal that could not take it away', async () => {
    vi.stubEnv('TERM', 'dumb')
    onTestFinished(() => void vi.unstubAllEnvs())
    const sinks = memorySinks({ isTTY: true })
    const progress = createProgress(
      await createOutput({ sinks, env: {}, json: false, noColour: true }),
      createFakeClock(),
      'jobs',
    )
    progress.update(1, 0.1)
    progress.end()
    expect(sinks.err.text).toBe('')
  })

  it('tells count and rate where the end is not known', () => {
    expect(progressLine({ count: 12_000, fraction: null, rate: 4_000, noun: 'jobs' })).toBe(
      '12,000 jobs  4,000/s',
    )
  })
})
