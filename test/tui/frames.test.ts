import { describe, expect, it } from 'vitest'
import { createDesk } from '../../src/tui/state-store.ts'
import { createFrames } from '../../src/tui/frames.ts'
import { plainScreenPaint } from '../../src/tui/render-context.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { breaker, snapshotOf, start } from './support/scene.ts'

const scene = () => {
  const clock = createFakeClock()
  const desk = createDesk(start({ screen: 'breakers' }), clock)
  return { desk, frames: createFrames(desk, plainScreenPaint) }
}

describe('frames', () => {
  it('are of the present state also when nobody was told of it', () => {
    const { desk, frames } = scene()
    expect(frames.lines().join('\n')).toContain('reading …')
    desk.dispatch({ type: 'read', snapshot: snapshotOf(desk.state(), [breaker('stripe')]) })
    expect(frames.lines().join('\n')).toContain('stripe')
  })

  it('are told of only where they differ, and to nobody who has left', () => {
    const { desk, frames } = scene()
    let told = 0
    const leave = frames.subscribe(() => told++)
    const read = () =>
      desk.dispatch({ type: 'read', snapshot: snapshotOf(desk.state(), [breaker('stripe')]) })
    read()
    read()
    expect([told, frames.quiet()]).toEqual([1, 1])
    leave()
    desk.dispatch({ type: 'command', command: 'help' })
    expect(told).toBe(1)
  })
})
