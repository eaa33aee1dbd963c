import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { createStateStore } from '../../src/tui/state-store.ts'
import { press, start } from './support/scene.ts'

function stateStore() {
  const clock = createFakeClock()
  const made = createStateStore(start(), clock)
  const drawn: number[] = []
  made.subscribe(() => void drawn.push(clock.monotonic()))
  let now = 0
  const tick = () => made.dispatch({ type: 'ticked', now: ++now })
  return { clock, made, drawn, tick }
}

describe('drawing', () => {
  it('answers the first key at once, also right after a frame that time has drawn', async () => {
    const { clock, made, drawn, tick } = stateStore()
    await clock.advance(1_000)
    tick()
    made.dispatch({ type: 'command', command: 'help' })
    expect(drawn).toEqual([1_000, 1_000])
  })

  it('draws at most ten frames in any second, the newest state in the last', async () => {
    const { clock, made, drawn, tick } = stateStore()
    for (let ms = 0; ms < 5_000; ms += 10) {
      tick()
      await clock.advance(10)
    }
    await clock.advance(200)
    for (const at of drawn)
      expect(drawn.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(10)
    expect(drawn.length).toBeGreaterThan(35)
    expect(made.state().now).toBe(500)
    expect(drawn.at(-1)).toBeGreaterThanOrEqual(4_990)
    expect(clock.pendingTimers).toBe(0)
  })

  it('draws nothing for an event that changes nothing, and nothing after its end', async () => {
    const { clock, made, drawn, tick } = stateStore()
    made.dispatch({ type: 'command', command: 'down' })
    expect(drawn).toEqual([])
    tick()
    tick()
    tick()
    made.close()
    await clock.advance(1_000)
    expect(drawn).toHaveLength(2)
    expect(press(made.state(), 'help').overlay?.kind).toBe('help')
  })
})
