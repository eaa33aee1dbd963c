import { expect, it } from 'vitest'
import type { ClaimedJob } from '../../../src/domain/job.ts'
import { Attempt } from '../../../src/worker/runner/attempt.ts'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import { RunningAttempts } from '../../../src/worker/runner/running-attempts.ts'

const handler = normaliseHandler({ type: 'greet', run() {} })

function attemptOf(key: number): Attempt {
  return new Attempt({ key, attempt: 1, type: 'greet' } as ClaimedJob, handler, 0)
}

const keysOf = (running: RunningAttempts) => [...running].map(({ job }) => job.key).sort((a, b) => a - b)

it('holds what was added and not deleted, in whatever order that happens', () => {
  const running = new RunningAttempts()
  const attempts = [1, 2, 3, 4, 5].map(attemptOf)
  for (const attempt of attempts) running.add(attempt)
  for (const key of [2, 5, 1]) {
    running.delete(attempts[key - 1]!)
  }
  expect(keysOf(running)).toEqual([3, 4])
  expect(running.size).toBe(2)
  const late = attemptOf(6)
  running.add(late)
  running.delete(attempts[2]!)
  expect(keysOf(running)).toEqual([4, 6])
  running.delete(late)
  running.delete(attempts[3]!)
  expect(running.size).toBe(0)
})

it('deleting twice, or what was never added, takes nothing else out', () => {
  const running = new RunningAttempts()
  const [first, second, stranger] = [1, 2, 3].map(attemptOf)
  running.add(first!)
  running.add(second!)
  running.delete(first!)
  running.delete(first!)
  running.delete(stranger!)
  expect(keysOf(running)).toEqual([2])
})
