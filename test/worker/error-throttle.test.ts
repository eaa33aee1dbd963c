import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { ErrorThrottle } from '../../src/worker/error-throttle.ts'
import { capturedLog } from '../support/captured-log.ts'

function trouble() {
  const clock = createFakeClock()
  const log = capturedLog()
  return {
    clock,
    trouble: new ErrorThrottle(clock, log, 'taking jobs'),
    messages: () => log.lines.map(({ message }) => message),
  }
}

describe('trouble', () => {
  it('is told once a minute for each cause, with its code, and once when it is over', async () => {
    const t = trouble()
    for (let second = 0; second < 90; second++) {
      t.trouble.happened(Object.assign(new Error('disk'), { code: 'SQLITE_FULL' }))
      await t.clock.advance(1_000)
    }
    t.trouble.over()
    t.trouble.over()
    expect(t.messages()).toEqual([
      'taking jobs failed, trying again: disk (SQLITE_FULL)',
      'taking jobs failed, trying again: disk (SQLITE_FULL)',
      'taking jobs works again, after 90 failures in 90 s',
    ])
  })

  // A38
  it('fills no log, whatever comes and goes: at most twenty lines a minute', async () => {
    const t = trouble()
    for (let failure = 0; failure < 6_000; failure++) {
      t.trouble.happened(new Error(`cause ${failure}`))
      if (failure % 3 === 0) t.trouble.over()
      await t.clock.advance(10)
    }
    expect(t.messages().length).toBeLessThanOrEqual(20)
    expect(t.messages()[0]).toContain('cause 0')
  })
})
