import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { onSignals } from '../../src/worker/signals.ts'

function listening() {
  const clock = createFakeClock()
  const source = new EventEmitter()
  const heard: string[] = []
  const release = onSignals(source, clock, {
    drain: () => heard.push('drain'),
    stopNow: () => heard.push('stop'),
  })
  return { clock, source, heard, release }
}

describe('signals', () => {
  // B050
  it('the first Ctrl-C drains, the second stops', async () => {
    const { clock, source, heard } = listening()
    source.emit('SIGINT')
    await clock.advance(300)
    source.emit('SIGINT')
    expect(heard).toEqual(['drain', 'stop'])
  })

  // B051
  it('one key press that arrives twice, as under npm, is one', async () => {
    const { clock, source, heard } = listening()
    source.emit('SIGINT')
    await clock.advance(50)
    source.emit('SIGINT')
    expect(heard).toEqual(['drain'])
  })

  // B050
  it('ten SIGTERMs never stop at once; a Ctrl-C after one does', async () => {
    const { clock, source, heard } = listening()
    for (let times = 0; times < 10; times++) source.emit('SIGTERM')
    expect(new Set(heard)).toEqual(new Set(['drain']))
    await clock.advance(300)
    source.emit('SIGINT')
    expect(heard.at(-1)).toBe('stop')
  })

  it('takes a terminal that is gone for a wish to end', () => {
    const { source, heard } = listening()
    source.emit('SIGHUP')
    expect(heard).toEqual(['drain'])
  })

  it('leaves no listener behind', () => {
    const { source, release } = listening()
    release()
    expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0)
  })
})
