/**
 * What hours of ticking leave behind: nothing. `WF_TUI_UPDATES=200000` makes it the long form, for which node needs
 * `--expose-gc` as for the short one.
 */
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createStateStore } from '../../src/tui/state-store.ts'
import { createFrames } from '../../src/tui/frames.ts'
import { startApp } from '../../src/tui/app.ts'
import { frameOf } from '../../src/tui/frame.ts'
import { createFrameOutput, type FrameSink } from '../../src/tui/frame-output.ts'
import { plainPaint } from '../../src/terminal/paint.ts'
import { figures, incident, jobs, noon, snapshotOf, start } from './support/scene.ts'

const updates = Number(process.env['WF_TUI_UPDATES'] ?? 800)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Raw mode and the rest of a terminal are not needed to draw. */
function typing(): NodeJS.ReadStream {
  return Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => undefined,
    ref: () => undefined,
    unref: () => undefined,
  }) as never
}

describe('a dashboard that is left open', { timeout: 7_200_000 }, () => {
  it(`keeps its heap flat over ${updates} updates, each of them drawn`, async () => {
    let bytes = 0
    const output = createFrameOutput({
      columns: 80,
      write(text: string) {
        bytes += text.length
        return true
      },
    } as FrameSink)
    // Time passes between any two updates, so that each is drawn.
    let elapsed = 0
    const clock = { ...systemClock, monotonic: () => (elapsed += 1_000) }
    const stateStore = createStateStore(start({ screen: 'jobs', size: { columns: 80, rows: 24 } }), clock)
    const frames = createFrames({
      draw: () => frameOf(stateStore.state(), plainPaint),
      subscribe: stateStore.subscribe,
      failed: (error) => expect.unreachable(String(error)),
    })
    const app = await startApp({
      frames,
      press: () => undefined,
      stdin: typing(),
      stdout: output.stdout,
      maxFps: 0,
    })
    const round = async (index: number) => {
      const now = noon + index * 1_000
      const items =
        index % 3 === 0
          ? [incident(index + 1), incident(index + 2)]
          : jobs(...Array.from({ length: 40 }, (_, row) => index + row + 1))
      if (index % 50 === 0)
        stateStore.dispatch({
          type: 'command',
          command: index % 100 === 0 ? 'next-screen' : 'previous-screen',
        })
      stateStore.dispatch({ type: 'ticked', now })
      stateStore.dispatch({
        type: 'read',
        snapshot: snapshotOf(stateStore.state(), items, {
          at: now,
          figures: figures({ location: `/data/${index}.db` }),
        }),
      })
      if (index % 200 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const heap = () => {
      collect()
      collect()
      return process.memoryUsage().heapUsed
    }
    for (let index = 0; index < updates / 4; index++) await round(index)
    const before = heap()
    for (let index = updates / 4; index < updates; index++) await round(index)
    const grown = heap() - before
    stateStore.close()
    app.unmount()
    expect(bytes).toBeGreaterThan(updates * 100)
    // Ink, given the lines as text, would keep about 9 kB of every frame.
    expect(grown).toBeLessThan(3_000_000)
  })
})
