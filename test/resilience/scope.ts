/** What a call of an attempt brings with it, on a clock that stands still. */
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts'
import { type Random, seededRandom } from '../../src/random.ts'

export interface AttemptScope {
  clock: FakeClock
  random: Random
  controller: AbortController
  signal: AbortSignal
  timeLeftMs(): number
}

export function attemptScope({ timeLeftMs = 60_000, seed = 1 } = {}): AttemptScope {
  const clock = createFakeClock()
  const controller = new AbortController()
  const endAt = clock.monotonic() + timeLeftMs
  return {
    clock,
    random: seededRandom(seed),
    controller,
    signal: controller.signal,
    timeLeftMs: () => Math.max(0, endAt - clock.monotonic()),
  }
}

/** A promise with its ends in hand. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void
  let reject!: (thrown: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Where nobody waits for it any more, its end is nobody's business.
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** How a promise stands, read without waiting for it. */
export function watched<T>(promise: Promise<T>) {
  const seen: { state: 'pending' | 'resolved' | 'rejected'; value?: T; thrown?: unknown } = {
    state: 'pending',
  }
  promise.then(
    (value) => Object.assign(seen, { state: 'resolved', value }),
    (thrown: unknown) => Object.assign(seen, { state: 'rejected', thrown }),
  )
  return seen
}
