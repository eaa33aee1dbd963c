import { describe, expect, it, onTestFinished } from 'vitest'
import { onInterrupt } from '../../../src/cli/input/interrupt.ts'
import { createOutput } from '../../../src/terminal/output.ts'
import { memorySinks } from '../../support/memory-sinks.ts'

async function listening({ json = false, isTTY = false } = {}) {
  const sinks = memorySinks({ isTTY })
  const known = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') }
  const own = (signal: 'SIGINT' | 'SIGTERM') =>
    process.listeners(signal).filter((each) => !known[signal].includes(each))
  const interrupt = onInterrupt(await createOutput({ sinks, env: {}, json, noColour: true }))
  onTestFinished(() => interrupt.release())
  return { interrupt, sinks, own, signal: (name: 'SIGINT' | 'SIGTERM') => own(name)[0]?.(name) }
}

describe('an interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // B080 B156
  ] as const)(
    'by %s says at once that it was heard, stops, and lets a second one end the process',
    async (name, code) => {
      const { interrupt, sinks, own, signal } = await listening()
      expect([interrupt.signal.aborted, interrupt.exitCode, sinks.err.text]).toEqual([false, null, ''])
      signal(name)
      expect([interrupt.signal.aborted, interrupt.exitCode]).toEqual([true, code])
      expect(sinks.err.text).toBe('stopping after the current batch; press again to stop at once\n')
      expect([own('SIGINT'), own('SIGTERM'), sinks.out.text]).toEqual([[], [], ''])
    },
  )

  // B156
  it('stands on a line of its own on a terminal, and is silent with --json', async () => {
    const terminal = await listening({ isTTY: true })
    terminal.signal('SIGINT')
    expect(terminal.sinks.err.text).toMatch(/^\nstopping/)
    const json = await listening({ json: true })
    json.signal('SIGINT')
    expect([json.sinks.err.text, json.sinks.out.text, json.interrupt.exitCode]).toEqual(['', '', 130])
  })
})
