import { describe, expect, it } from 'vitest'
import { createEvents } from '../../../src/engine/events.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { OutcomeReport } from '../../../src/worker/child/channel.ts'
import type { ToSupervisor } from '../../../src/worker/ipc.ts'
import { outcomes, testEngine } from '../../support/test-engine.ts'

async function reporting() {
  const { engine, add, claim, settle } = await testEngine()
  const clock = createFakeClock()
  const told: unknown[] = []
  const channel = {
    async send(message: ToSupervisor) {
      if (message.kind === 'outcomes') told.push({ ...message.counts })
    },
    onMessage: () => {},
    onGone: () => {},
  }
  const events = createEvents()
  engine.events.on('settled', (settled) => events.emit('settled', settled))
  new OutcomeReport({ events, clock, channel }).start()
  const end = async (kind: 'success' | 'raised', times = 1) => {
    for (let time = 0; time < times; time++) {
      await add()
      const [job] = await claim({ limit: 1 })
      if (job) await settle(job, outcomes[kind]())
    }
  }
  return { clock, told, end }
}

describe('what a child tells of its work', () => {
  // B055
  it('comes with the exchange that stored it, when it is the first or a stop: the next job may end the process', async () => {
    const { told, end, clock } = await reporting()
    await end('success')
    expect(told).toEqual([{ completed: 1 }])
    await end('success')
    expect(told).toHaveLength(1)
    await end('raised')
    expect(told.at(-1)).toEqual({ completed: 2, failed: 1 })
    await clock.advance(1_000)
    expect(told).toHaveLength(2)
  })

  it('is else told at most every 25 ms, however much ends', async () => {
    const { told, end, clock } = await reporting()
    await end('success', 50)
    expect(told).toHaveLength(1)
    await clock.advance(25)
    expect(told).toEqual([{ completed: 1 }, { completed: 50 }])
    await clock.advance(1_000)
    expect(told).toHaveLength(2)
    expect(clock.pendingTimers).toBe(0)
  })
})
