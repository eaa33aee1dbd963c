import { describe, expect, it } from 'vitest'
import { Heartbeat } from '../../../src/worker/supervisor/supervised-child.ts'

describe('the pulse of a child', () => {
  it('sends one ping at a time, and counts silence from the one that is not answered', () => {
    const heartbeat = new Heartbeat()
    expect(heartbeat.tick(1000, 1000)).toBe(1)
    expect(heartbeat.tick(1000, 1000)).toBeNull()
    expect(heartbeat.tick(1000, 1000)).toBeNull()
    expect(heartbeat.silentMs).toBe(2000)
    heartbeat.pong(1)
    expect(heartbeat.silentMs).toBe(0)
    expect(heartbeat.tick(1000, 1000)).toBe(2)
  })

  it('takes a late answer to an earlier ping for no answer', () => {
    const heartbeat = new Heartbeat()
    heartbeat.tick(1000, 1000)
    heartbeat.pong(1)
    expect(heartbeat.tick(1000, 1000)).toBe(2)
    heartbeat.tick(1000, 1000)
    heartbeat.pong(1)
    expect(heartbeat.silentMs).toBe(1000)
  })

  it('does not count time in which nobody was awake to listen', () => {
    const heartbeat = new Heartbeat()
    heartbeat.tick(1000, 1000)
    heartbeat.tick(3_600_000, 1000)
    expect(heartbeat.silentMs).toBe(2000)
  })
})
