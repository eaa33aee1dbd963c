import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { DeferError, IncidentError } from '../../src/domain/handler-errors.ts'
import { optional } from '../../src/resilience/timeout.ts'
import { TimeLimitError } from '../../src/resilience/timeout.ts'
import { attemptScope, watched } from './scope.ts'

function scene(options: Parameters<typeof attemptScope>[0] = {}) {
  const scope = attemptScope(options)
  const degraded: [string, unknown][] = []
  const step = <T>(fn: (signal: AbortSignal) => Promise<T> | T) =>
    optional('analytics', fn, {
      ...scope,
      onDegraded: (feature, thrown) => void degraded.push([feature, thrown]),
    })
  return { ...scope, degraded, step }
}

describe('an optional step', () => {
  it('gives what it gives, and tells nobody', async () => {
    const { step, degraded } = scene()
    await expect(step(async () => 7)).resolves.toBe(7)
    await expect(step(() => undefined)).resolves.toBeUndefined()
    expect(degraded).toEqual([])
  })

  // A31
  it('never fails its job, whatever it throws, and is counted once', async () => {
    const { step, degraded } = scene()
    const thrown = [
      new Error('down'),
      'down',
      null,
      new DeferError('later', { in: '1h' }),
      new IncidentError('stop'),
    ]
    for (const one of thrown) {
      await expect(step(async () => Promise.reject(one))).resolves.toBeUndefined()
      await expect(
        step(() => {
          throw one
        }),
      ).resolves.toBeUndefined()
    }
    expect(degraded).toEqual(thrown.flatMap((one) => [one, one]).map((one) => ['analytics', one]))
  })

  // A31
  it('that hangs is given up after ten seconds, and after half of what is left', async () => {
    for (const [timeLeftMs, givenUpMs] of [
      [60_000, 10_000],
      [4_000, 2_000],
    ] as const) {
      const { step, clock, degraded, signal } = scene({ timeLeftMs })
      let given: AbortSignal | undefined
      const hanging = watched(
        step((own) => {
          given = own
          return new Promise(() => {})
        }),
      )
      await clock.advance(givenUpMs - 1)
      expect(hanging.state).toBe('pending')
      await clock.advance(1)
      expect(hanging).toEqual({ state: 'resolved', value: undefined })
      expect(degraded[0]?.[1]).toBeInstanceOf(TimeLimitError)
      expect([given?.aborted, clock.pendingTimers, getEventListeners(signal, 'abort').length]).toEqual([
        true,
        0,
        0,
      ])
    }
  })

  it('is left out when the attempt is over', async () => {
    const { step, controller, degraded } = scene()
    const reason = new Error('shutdown')
    controller.abort(reason)
    let called = false
    await expect(step(() => (called = true))).resolves.toBeUndefined()
    expect([called, degraded]).toEqual([false, [['analytics', reason]]])
  })

  it('survives a listener that throws', async () => {
    const scope = attemptScope()
    const onDegraded = () => {
      throw new Error('listener')
    }
    await expect(
      optional('analytics', () => Promise.reject(new Error('x')), { ...scope, onDegraded }),
    ).resolves.toBeUndefined()
  })
})
