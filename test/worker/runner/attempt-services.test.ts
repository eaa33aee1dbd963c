import { describe, expect, it } from 'vitest'
import type { Job } from '../../../src/domain/job.ts'
import { createEvents } from '../../../src/engine/events.ts'
import {
  createAttemptServices,
  type AttemptServicesOptions,
  type StepStore,
} from '../../../src/worker/runner/attempt-services.ts'
import { seededRandom } from '../../../src/random.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { capturedLog } from '../../support/captured-log.ts'

function degradedOf(given: Pick<AttemptServicesOptions, 'workerId' | 'countedAs'>): unknown[] {
  const events = createEvents()
  const counted: unknown[] = []
  events.on('counted', ({ labels }) => void counted.push(labels))
  const parts = {
    clock: createFakeClock(),
    random: seededRandom(1),
    log: capturedLog(),
    events,
    handlers: new Map(),
    steps: {} as StepStore,
  }
  createAttemptServices({ ...parts, ...given }).degraded(
    { key: 1, type: 'mail', attempt: 1 } as Job,
    'analytics',
    new Error('no route'),
  )
  return counted
}

describe('what a worker is called in metrics', () => {
  // A31
  it('is its label, so that no process id and no start of it makes another series', () => {
    expect(degradedOf({ workerId: 'host-4711.1#a1b2', countedAs: 'host' })).toEqual([
      { worker: 'host', feature: 'analytics' },
    ])
  })

  // A31
  it('is its id without the incarnation where nobody gave it a name', () => {
    expect(degradedOf({ workerId: 'shop#a1b2' })).toEqual([{ worker: 'shop', feature: 'analytics' }])
  })
})
