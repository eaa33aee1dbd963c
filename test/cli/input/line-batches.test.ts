import { describe, expect, it } from 'vitest'
import { batchesOf, batchLines } from '../../../src/cli/input/line-batches.ts'
import type { Line } from '../../../src/cli/input/lines.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'

const line = (number: number): Line => ({ number, text: `line ${number}`, tooLong: false, broken: false })

/** Lines that come when the test says so. */
function tap() {
  const waiting: Line[] = []
  let wake = () => {}
  let ended = false
  let read = 0
  const lines = async function* (): AsyncGenerator<Line> {
    for (;;) {
      const next = waiting.shift()
      if (next) {
        read += 1
        yield next
      } else if (ended) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return {
    lines: lines(),
    read: () => read,
    pour(from: number, to: number) {
      for (let number = from; number <= to; number++) waiting.push(line(number))
      wake()
    },
    end() {
      ended = true
      wake()
    },
  }
}

describe('batches of lines', () => {
  it('are handed out when they are full, and the rest at the end', async () => {
    const { lines, pour, end } = tap()
    const clock = createFakeClock()
    const batches = batchesOf(lines, { clock, signal: new AbortController().signal })
    pour(1, batchLines + 3)
    end()
    const sizes: number[] = []
    for await (const batch of batches) sizes.push(batch.length)
    expect(sizes).toEqual([batchLines, 3])
    expect(clock.pendingTimers).toBe(0)
  })

  it('are handed out after a moment when the stream is slow', async () => {
    const { lines, pour } = tap()
    const clock = createFakeClock()
    const batches = batchesOf(lines, { clock, signal: new AbortController().signal })
    const first = batches.next()
    pour(1, 2)
    await clock.advance(199)
    pour(3, 3)
    await clock.advance(1)
    const batch: readonly Line[] = (await first).value ?? []
    expect(batch.map(({ number }) => number)).toEqual([1, 2, 3])
    await batches.return(undefined)
    expect(clock.pendingTimers).toBe(0)
  })

  it('hand out what was read when somebody stops them, and wait for nothing more', async () => {
    const { lines, pour } = tap()
    const clock = createFakeClock()
    const stop = new AbortController()
    const batches = batchesOf(lines, { clock, signal: stop.signal })
    const first = batches.next()
    pour(1, 2)
    await clock.settle()
    stop.abort()
    expect((await first).value).toHaveLength(2)
    expect((await batches.next()).done).toBe(true)
  })

  it('do not read on while nobody takes them', async () => {
    const { lines, pour, read } = tap()
    const clock = createFakeClock()
    const batches = batchesOf(lines, { clock, signal: new AbortController().signal })
    const first = batches.next()
    pour(1, batchLines * 4)
    await first
    await clock.settle()
    expect(read()).toBeLessThanOrEqual(batchLines * 2)
    await batches.return(undefined)
  })

  it('end with the error of the stream, after everything that was read before it', async () => {
    const broken = async function* (): AsyncGenerator<Line> {
      yield line(1)
      throw new Error('the disk is gone')
    }
    const batches = batchesOf(broken(), { clock: createFakeClock(), signal: new AbortController().signal })
    expect((await batches.next()).value).toHaveLength(1)
    await expect(batches.next()).rejects.toThrow('the disk is gone')
  })
})
