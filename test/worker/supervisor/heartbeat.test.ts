import { describe, expect, it } from 'vitest'
import { Pulse } from '../../../src/worker/supervisor/heartbeat.ts'

describe('the pulse of a child', () => {
  it('sends one ping at a time, and counts silence from the one that is not answered', () => {
    const pulse = new Pulse()
    expect(pulse.tick(1000, 1000)).toBe(1)
    expect(pulse.tick(1000, 1000)).toBeNull()
    expect(pulse.tick(1000, 1000)).toBeNull()
    expect(pulse.silentMs).toBe(2000)
    pulse.pong(1)
    expect(pulse.silentMs).toBe(0)
    expect(pulse.tick(1000, 1000)).toBe(2)
  })

  it('takes a late answer to an earlier ping for no answer', () => {
    const pulse = new Pulse()
    pulse.tick(1000, 1000)
    pulse.pong(1)
    expect(pulse.tick(1000, 1000)).toBe(2)
    pulse.tick(1000, 1000)
    pulse.pong(1)
    expect(pulse.silentMs).toBe(1000)
  })

  it('does not count time in which nobody was awake to listen', () => {
    const pulse = new Pulse()
    pulse.tick(1000, 1000)
    pulse.tick(3_600_000, 1000)
    expect(pulse.silentMs).toBe(2000)
  })
})
