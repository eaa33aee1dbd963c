import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { onSignals, type SignalMeaning } from '../../src/worker/signals.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'

/** A run whose methods need their `this`, as a class's do. */
class Run implements SignalMeaning {
  readonly heard: string[] = []
  drain(): void {
    this.heard.push('drain')
  }
  stopNow(): void {
    this.heard.push('stop')
  }
}

function listening() {
  const source = new EventEmitter()
  const clock = createFakeClock()
  const run = new Run()
  const end = onSignals(source, clock, run)
  return { source, clock, run, end }
}

it('SIGTERM drains a run that is an object with methods of its own', () => {
  const { source, run } = listening()
  source.emit('SIGTERM')
  expect(run.heard).toEqual(['drain'])
})

it('a second Ctrl-C stops at once, and one key press that arrives twice counts once', async () => {
  const { source, clock, run } = listening()
  source.emit('SIGINT')
  source.emit('SIGINT')
  expect(run.heard).toEqual(['drain'])
  await clock.advance(1000)
  source.emit('SIGINT')
  expect(run.heard).toEqual(['drain', 'stop'])
})

it('nothing listens any more after the end', () => {
  const { source, run, end } = listening()
  end()
  source.emit('SIGTERM')
  source.emit('SIGINT')
  expect(run.heard).toEqual([])
  expect(source.eventNames()).toEqual([])
})
