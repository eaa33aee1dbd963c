import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEvents } from '../../src/engine/events.ts'

describe('the events of the engine', () => {
  afterEach(() => vi.restoreAllMocks())

  it('tells every listener until it stops listening', () => {
    const events = createEvents()
    const heard: string[] = []
    const listener = ({ type }: { type: string }) => heard.push(type)
    const end = events.on('paused', listener)
    events.on('paused', listener)
    events.emit('paused', { type: 'a', who: 'wf' })
    end()
    events.emit('paused', { type: 'b', who: 'wf' })
    expect(heard).toEqual(['a', 'a', 'b'])
  })

  it('goes on to the other listeners when one throws, and reports it once', () => {
    const reported: unknown[] = []
    const events = createEvents((error, event) => reported.push([event, error]))
    const heard: string[] = []
    events.on('paused', () => {
      throw new Error('a broken view')
    })
    events.on('paused', ({ type }) => heard.push(type))
    for (const type of ['a', 'b']) expect(() => events.emit('paused', { type, who: 'wf' })).not.toThrow()
    expect(heard).toEqual(['a', 'b'])
    expect(reported).toEqual([['paused', new Error('a broken view')]])
  })

  it('catches what an asynchronous listener rejects with', async () => {
    const reported: unknown[] = []
    const events = createEvents((error) => reported.push(error))
    events.on('paused', () => Promise.reject(null))
    events.emit('paused', { type: 'a', who: 'wf' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(reported).toEqual([null])
  })

  it('warns the process when nobody was given to report to', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const events = createEvents()
    events.on('paused', () => {
      throw new Error('text')
    })
    events.emit('paused', { type: 'a', who: 'wf' })
    expect(warned).toHaveBeenCalledWith("a listener to 'paused' failed: text")
  })
})
