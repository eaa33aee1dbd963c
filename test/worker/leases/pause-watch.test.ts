import { describe, expect, it } from 'vitest'
import { createPauseWatch } from '../../../src/worker/leases/store-watch.ts'
import { testEngine } from '../../support/test-engine.ts'

async function watching(types: readonly string[] = ['mail']) {
  const t = await testEngine()
  const watch = createPauseWatch({ store: t.store, clock: t.clock, log: t.log, types: () => types })
  const set = (paused: boolean, names: readonly string[], reason: string | null = null) =>
    t.engine.pauseTypes(names, { paused, reason, who: 'ada' })
  return { ...t, watch, set, told: () => t.log.lines.map(({ level, message }) => `${level} ${message}`) }
}

describe('what a worker says of paused types', () => {
  it('is one line for each pause and each resuming of its own types', async () => {
    const { watch, set, clock, told } = await watching()
    watch.start()
    await clock.advance(1_000)
    expect(told()).toEqual([])
    await set(true, ['mail', 'sms'], 'provider is down')
    await clock.advance(3_000)
    expect(told()).toEqual([
      'warn type mail is paused by ada, because provider is down; its jobs stay until wf types resume mail',
    ])
    await set(false, ['mail'])
    await clock.advance(3_000)
    await set(true, ['mail'])
    await clock.advance(3_000)
    await watch.stop()
    expect(told().slice(1)).toEqual([
      'info type mail was resumed; its jobs start again',
      'warn type mail is paused by ada; its jobs stay until wf types resume mail',
    ])
  })

  // B119
  it('names the end of a pause that has one, and tells of another end and of its end', async () => {
    const { watch, engine, clock, told } = await watching()
    const until = (ms: number) =>
      engine.pauseTypes(['mail'], { paused: true, reason: null, who: 'ada', untilAt: clock.now() + ms })
    watch.start()
    const first = new Date(clock.now() + 5_000).toISOString()
    await until(5_000)
    await clock.advance(2_000)
    const second = new Date(clock.now() + 5_000).toISOString()
    await until(5_000)
    await clock.advance(10_000)
    await watch.stop()
    expect(told()).toEqual([
      `warn type mail is paused by ada; its jobs stay until ${first}`,
      `warn type mail is paused by ada; its jobs stay until ${second}`,
      'info type mail was resumed; its jobs start again',
    ])
  })

  it('begins with those that were paused before, and tells at the end what a short run would have missed', async () => {
    const { watch, set, clock, told } = await watching(['mail', 'sms'])
    await set(true, ['mail'])
    watch.start()
    await clock.advance(0)
    expect(told()).toHaveLength(1)
    await set(true, ['sms'])
    await watch.stop()
    expect(told()).toHaveLength(2)
  })

  it('leaves a store that cannot be read to others', async () => {
    const { watch, set, store, clock, told } = await watching()
    await set(true, ['mail'])
    const pausedTypes = store.pausedTypes.bind(store)
    store.pausedTypes = () => Promise.reject(new Error('locked'))
    watch.start()
    await clock.advance(2_000)
    expect(told()).toEqual([])
    store.pausedTypes = pausedTypes
    await clock.advance(1_000)
    expect(told()).toHaveLength(1)
    await watch.stop()
  })
})
