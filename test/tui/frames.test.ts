import { describe, expect, it } from 'vitest'
import { createStateStore } from '../../src/tui/state-store.ts'
import { frameOf } from '../../src/tui/frame.ts'
import { createFrames } from '../../src/tui/frames.ts'
import { plainPaint } from '../../src/terminal/paint.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { breaker, figures, snapshotOf, start } from './support/scene.ts'

function scene() {
  const stateStore = createStateStore(start({ screen: 'breakers' }), createFakeClock())
  const terminal = { isReady: true }
  const errors: unknown[] = []
  const frames = createFrames({
    draw: () => frameOf(stateStore.state(), plainPaint),
    subscribe: stateStore.subscribe,
    isReady: () => terminal.isReady,
    failed: (error) => void errors.push(error),
  })
  return { stateStore, frames, terminal, errors }
}

describe('frames', () => {
  it('show the present state without a subscriber', () => {
    const { stateStore, frames } = scene()
    expect(frames.lines().join('\n')).toContain('reading …')
    stateStore.dispatch({ type: 'read', snapshot: snapshotOf(stateStore.state(), [breaker('stripe')]) })
    expect(frames.lines().join('\n')).toContain('stripe')
  })

  it('are announced only where they differ, and not after unsubscribing', () => {
    const { stateStore, frames } = scene()
    let told = 0
    const leave = frames.subscribe(() => told++)
    const read = () =>
      stateStore.dispatch({ type: 'read', snapshot: snapshotOf(stateStore.state(), [breaker('stripe')]) })
    read()
    read()
    expect([told, frames.quiet()]).toEqual([1, 1])
    leave()
    stateStore.dispatch({ type: 'command', command: 'help' })
    expect(told).toBe(1)
  })

  it('leaves out frames that a slow terminal has not taken, and shows the newest', () => {
    const { stateStore, frames, terminal } = scene()
    const drawn: string[] = []
    frames.subscribe(() => void drawn.push(frames.lines().join('\n')))
    terminal.isReady = false
    for (const name of ['first', 'second', 'newest'])
      stateStore.dispatch({ type: 'read', snapshot: snapshotOf(stateStore.state(), [breaker(name)]) })
    expect(drawn).toEqual([])
    terminal.isReady = true
    frames.refresh()
    expect(drawn).toHaveLength(1)
    expect(drawn[0]).toContain('newest')
    expect(drawn[0]).not.toContain('second')
  })

  it('reports what cannot be drawn, and not to the code that changed the state', () => {
    const { stateStore, frames, errors } = scene()
    const before = frames.lines()
    const location = { toString: null } as unknown as string
    const read = snapshotOf(stateStore.state(), [breaker('stripe')], { figures: figures({ location }) })
    stateStore.dispatch({ type: 'read', snapshot: read })
    expect(errors).toHaveLength(1)
    expect(frames.lines()).toBe(before)
  })
})
