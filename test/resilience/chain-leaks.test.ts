import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { BusinessError } from '../../src/domain/handler-errors.ts'
import { Dependencies, dependencyNamed } from '../../src/resilience/dependencies.ts'
import { normaliseDependencies } from '../../src/worker/handler/dependency-schema.ts'
import { optional } from '../../src/resilience/timeout.ts'
import { seededRandom } from '../../src/random.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The system clock, and how many of its timers are set. */
function countingClock() {
  const set = new Set<symbol>()
  const clock: Clock = {
    ...systemClock,
    after(ms, fire, options) {
      const timer = Symbol('timer')
      set.add(timer)
      const cancel = systemClock.after(
        ms,
        () => {
          set.delete(timer)
          fire()
        },
        options,
      )
      return () => {
        set.delete(timer)
        cancel()
      }
    },
  }
  return { clock, set }
}

function heapBytes() {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** What calls of a long life meet: most are well, some are refused, break, or are well on the second try. */
async function answer(index: number, tries: Map<number, number>): Promise<number> {
  const asked = (tries.get(index) ?? 0) + 1
  if (index % 200 === 0) tries.set(index, asked)
  if (index % 200 === 0 && asked === 1) throw Object.assign(new Error('blip'), { status: 503 })
  tries.delete(index)
  if (index % 7 === 0) throw new BusinessError('CARD_DECLINED')
  if (index % 11 === 0) throw new Error('no')
  return index
}

describe('the chain of a dependency, on the system clock', () => {
  // B043
  it('leaves no listener, no timer and no growing heap after 100,000 calls with one long-lived signal', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    const { signal } = new AbortController()
    const { clock, set: timers } = countingClock()
    const set = new Dependencies({ clock, random: seededRandom(1) })
    const policy = {
      timeout: '1m',
      retry: { delay: 1, jitter: 0 },
      breaker: { failures: 1_000, shared: false },
      bulkhead: { limit: 20, wait: '10s' },
    }
    const bank = dependencyNamed(
      set.declare('pay', normaliseDependencies({ bank: policy }, { type: 'pay', timeoutMs: 60_000 })),
      'bank',
      'pay',
    )
    const scope = { signal, timeLeftMs: () => 60_000 }
    const optionalScope = { ...scope, clock, onDegraded: () => {} }
    const tries = new Map<number, number>()
    const ends = { resolved: 0, rejected: 0 }
    const one = async (index: number) => {
      const called = () => bank.call(() => answer(index, tries), scope)
      try {
        await (index % 50 === 1 ? optional('extra', called, optionalScope) : called())
        ends.resolved++
      } catch {
        ends.rejected++
      }
    }
    // Thirty at once: more than may pass, and more than Node lets listen before it warns of a leak.
    const calls = async (from: number, to: number) => {
      for (let first = from; first < to; first += 30) {
        await Promise.all(Array.from({ length: Math.min(30, to - first) }, (_, index) => one(first + index)))
      }
    }
    await calls(0, 30_000)
    const before = heapBytes()
    await calls(30_000, 100_000)
    const grown = heapBytes() - before
    process.off('warning', warned)
    expect(ends.resolved + ends.rejected).toBe(100_000)
    expect(ends.rejected).toBeGreaterThan(10_000)
    expect([getEventListeners(signal, 'abort').length, timers.size, tries.size]).toEqual([0, 0, 0])
    expect(grown).toBeLessThan(2 * 1024 * 1024)
    expect(warnings).toEqual([])
  }, 120_000)
})
