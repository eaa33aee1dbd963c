import { describe, expect, it } from 'vitest'
import { Quarantine } from '../../../src/worker/supervisor/monitor.ts'

function fakeStore() {
  const said = { due: false, held: 0 }
  const store = {
    said,
    now: () => 0,
    hasDue: async (_types: readonly string[], suspects: boolean) => suspects && said.due,
    held: async (workerId: string) =>
      Array.from({ length: said.held }, (_, index) => ({ jobKey: index + 1, attempt: 1, workerId })),
  }
  return store
}

describe('the quarantine', () => {
  it('starts a child when a suspect is due, and not before the types are known', async () => {
    const store = fakeStore()
    const quarantine = new Quarantine(store)
    expect(await quarantine.look({ types: ['mail'], workerId: null, now: 0 })).toBe('leave')
    store.said.due = true
    expect(await quarantine.look({ types: [], workerId: null, now: 0 })).toBe('leave')
    expect(await quarantine.look({ types: ['mail'], workerId: null, now: 0 })).toBe('start')
  })

  it('keeps its child while it works and for a moment longer, then ends it', async () => {
    const store = fakeStore()
    const quarantine = new Quarantine(store)
    store.said.due = true
    const child = { types: ['mail'], workerId: 'w.quarantine#1' }
    expect(await quarantine.look({ ...child, now: 0 })).toBe('leave')
    store.said.due = false
    store.said.held = 1
    expect(await quarantine.look({ ...child, now: 60_000 })).toBe('leave')
    store.said.held = 0
    expect(await quarantine.look({ ...child, now: 61_000 })).toBe('leave')
    expect(await quarantine.look({ ...child, now: 64_000 })).toBe('end')
  })
})
