/** A store in the middle of an outage, made by the engine on a clock that stands still: the same to the letter each time. */
import { changeBreaker, declareTypes } from '../../support/plans.ts'
import type { StatDelta } from '../../../src/domain/stat-delta.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { plainPaint, type Paint } from '../../../src/terminal/paint.ts'
import { frameOf } from '../../../src/tui/frame.ts'
import { reduce } from '../../../src/tui/reduce.ts'
import { readSnapshot } from '../../../src/tui/read-snapshot.ts'
import { sourceOf, type Source } from '../../../src/tui/source.ts'
import { initialState, queryOf, type State, type StateOptions } from '../../../src/tui/state.ts'
import { errorRecord } from '../../../src/domain/error-record.ts'
import { openedBreaker } from '../../support/store-scene.ts'
import { outcomes, testEngine, type TestEngine } from '../../support/test-engine.ts'

const noon = Date.UTC(2026, 2, 3, 14, 30)
const minuteMs = 60_000

export interface Outage extends TestEngine {
  source: Source
}

export async function outage(): Promise<Outage> {
  const made = await testEngine({ clock: createFakeClock(noon - 20 * minuteMs) })
  const { store, clock, engine, join, claim, settle } = made
  const types = ['charge-payment', 'send-mail', 'build-report']
  for (const id of ['web-1#3fa81c20', 'web-2#90b2d7e4'])
    await join(id, { types, host: id.slice(0, 5), pid: 4_000, concurrency: 15, leaseMs: 30 * minuteMs })
  const declaration = {
    timeoutMs: 45_000,
    concurrency: 10,
    retries: 3,
    backlogLimit: null,
    onExhausted: 'incident',
  } as const
  await declareTypes(
    store,
    types.map((type) => ({
      type,
      ...declaration,
      ...(type === 'charge-payment' ? { breakers: ['stripe'] } : {}),
    })),
    store.now(),
  )
  const fail = async (
    type: string,
    count: number,
    outcome: Parameters<typeof settle>[1],
    variables: (index: number) => object,
  ) => {
    await engine.enqueue(Array.from({ length: count }, (_, index) => ({ type, variables: variables(index) })))
    for (const job of await claim({ type, workerId: 'web-1#3fa81c20', limit: count }))
      await settle(job, outcome)
  }
  const timeout = Object.assign(new Error('no answer from api.stripe.example within 10000 ms'), {
    code: 'ETIMEDOUT',
  })
  timeout.stack = `Error: ${timeout.message}\n    at charge (/app/handlers/charge-payment.ts:31:9)\n    at run (/app/handlers/charge-payment.ts:18:3)`
  const order = (index: number) => ({
    orderId: `o-${4_100 + index}`,
    amount: 30 + index,
    card: { token: 'tok_1Pgafmb8a1' },
  })
  await fail('send-mail', 3, outcomes.poison('to: expected an address'), (index) => ({ to: index }))
  await clock.advance(15 * minuteMs)
  await fail(
    'charge-payment',
    14,
    { kind: 'incident', incident: 'raised', error: errorRecord(timeout) },
    order,
  )
  await clock.advance(2 * minuteMs)
  await fail('charge-payment', 6, outcomes.fail('socket hang up', { delayMs: 200_000 }), order)
  await changeBreaker(store, openedBreaker(), store.now() + 2 * minuteMs + 48_000)
  await engine.enqueue(
    Array.from({ length: 40 }, (_, index) => ({ type: 'charge-payment', variables: order(100 + index) })),
  )
  await engine.enqueue(
    Array.from({ length: 3 }, () => ({ type: 'build-report', variables: { month: '2026-02' } })),
  )
  await claim({ type: 'build-report', workerId: 'web-2#90b2d7e4', limit: 2 })
  await engine.enqueue([{ type: 'send-mail', variables: { to: 'ada@example.org' }, delay: '30m' }])
  await clock.advance(3 * minuteMs)
  await store.addStats(hour(noon), [], [], noon)
  return { ...made, source: sourceOf(store, clock) }
}

/** An hour of work that fails from a quarter of an hour ago on. */
function hour(now: number): readonly StatDelta[] {
  return Array.from({ length: 60 }, (_, index) => index).flatMap((index) => {
    const minute = now - (now % minuteMs) - (59 - index) * minuteMs
    const isDown = index >= 56
    const done = Math.round((isDown ? 30 : 180 + 60 * Math.sin(index / 6)) * (index === 59 ? 0.4 : 1))
    const row = (type: string, outcome: string, bucket: number, count: number): StatDelta => ({
      minute,
      type,
      outcome,
      bucket,
      count,
      sumMs: count * 40,
    })
    return [
      row('charge-payment', 'success', isDown ? 7 : 5, Math.round(done * 0.6)),
      row('charge-payment', 'success', 8, Math.round(done * 0.05)),
      row('send-mail', 'success', 4, Math.round(done * 0.35)),
      row('charge-payment', 'fail', 12, isDown ? 90 + index : (index % 7) + 1),
    ]
  })
}

export type Step = (state: State) => State

/** Reads what a state asks for, and goes on with the next step, as a person's keys and the reading do in turn. */
export async function shown(
  { source }: Pick<Outage, 'source'>,
  options: Pick<StateOptions, 'size' | 'screen'>,
  ...steps: readonly Step[]
): Promise<State> {
  const reads = async (state: State) => {
    const snapshot = await readSnapshot(source, queryOf(state))
    return reduce(state, {
      type: 'read',
      snapshot: { ...snapshot, figures: { ...snapshot.figures, location: '/srv/shop/wf.db' } },
    })
  }
  let state = await reads(await reads(initialState({ ...options, now: source.now() })))
  for (const step of steps) state = await reads(await reads(step(state)))
  return state
}

export const textOf = (state: State, paint: Paint = plainPaint): string =>
  frameOf(state, paint)
    .map(({ text }) => text.trimEnd())
    .join('\n')
