/** States of the dashboard without a store: what was read is made up. */
import type { Job } from '../../../src/domain/job.ts'
import type { InspectedBreaker } from '../../../src/engine/breaker-admin.ts'
import type { InspectedIncident, InspectedJob, InspectedType } from '../../../src/engine/inspector.ts'
import { breakerItem, incidentItem, jobItem, typeItem, type Item } from '../../../src/tui/items.ts'
import type { Command } from '../../../src/tui/keys.ts'
import { reduce } from '../../../src/tui/reduce.ts'
import type { Figures, Snapshot } from '../../../src/tui/snapshot.ts'
import { initialState, queryOf, type State, type StateOptions } from '../../../src/tui/state.ts'

export const noon = Date.UTC(2026, 0, 1, 12)

export const start = (options: Partial<StateOptions> = {}): State =>
  initialState({ size: { columns: 100, rows: 30 }, now: noon, ...options })

export const press = (state: State, ...commands: readonly Command[]): State =>
  commands.reduce((next, command) => reduce(next, { type: 'command', command }), state)

export const type = (state: State, ...keys: readonly string[]): State =>
  keys.reduce((next, key) => reduce(next, { type: 'typed', key }), state)

export const figures = (over: Partial<Figures> = {}): Figures => ({
  ...{
    location: '/data/wf.db',
    counted: true,
    types: [],
    breakers: [],
    workers: [],
    causes: [],
    nextDueAt: null,
  },
  series: { minutes: [], byType: {} },
  ...over,
})

const wholeOf = ({ length }: readonly Item[]) => ({
  more: false,
  cut: null,
  next: null,
  first: 0,
  total: length,
})

export const snapshotOf = (state: State, items: readonly Item[], over: Partial<Snapshot> = {}): Snapshot => ({
  ...{ query: queryOf(state), at: state.now, figures: figures(), items, ...wholeOf(items), detail: null },
  ...over,
})

export const read = (state: State, items: readonly Item[], over: Partial<Snapshot> = {}): State =>
  reduce(state, { type: 'read', snapshot: snapshotOf(state, items, over) })

export function job(key: number, over: Partial<InspectedJob> = {}): InspectedJob {
  const plain: Job = {
    ...{
      key,
      type: 'mail',
      state: 'waiting',
      waitReason: 'backoff',
      priority: 0,
      runAt: noon + 5_000,
      retries: 2,
      retriesGiven: false,
    },
    ...{
      enqueuedRetries: 3,
      attempt: 1,
      failures: 1,
      crashes: 0,
      deferrals: 0,
      deferringSince: null,
      workerId: null,
      startedAt: null,
    },
    ...{ runUntil: null, deadlineAt: null, createdAt: noon - 60_000, finishedAt: null, parentKey: null },
  }
  return { ...plain, ageMs: 60_000, dueInMs: 5_000, runningMs: null, held: null, suspect: false, ...over }
}

export const jobs = (...keys: readonly number[]): readonly Item[] => keys.map((key) => jobItem(job(key)))

export function incident(key: number, over: Partial<InspectedIncident> = {}): Item {
  return incidentItem({
    ...{
      id: key,
      jobKey: key,
      type: 'mail',
      kind: 'job_no_retries',
      fingerprint: 'f'.repeat(16),
      attempt: 3,
      createdAt: noon - 60_000,
    },
    error: {
      name: 'Error',
      message: 'connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      stack: null,
      causes: [],
      truncated: false,
    },
    ...{ resolvedAt: null, resolvedBy: null, resolution: null, reason: null, ageMs: 60_000 },
    job: job(key, { state: 'failed', waitReason: null, retries: 0, attempt: 3 }),
    ...over,
  })
}

export function breaker(name: string, over: Partial<InspectedBreaker> = {}): Item {
  return breakerItem({
    ...{
      name,
      mode: 'open',
      generation: 2,
      by: 'calls',
      changedAt: noon - 30_000,
      expiresAt: noon + 18_000,
      probes: [],
    },
    counts: {
      requests: 5,
      successes: 0,
      failures: 5,
      exclusions: 0,
      consecutiveSuccesses: 0,
      consecutiveFailures: 5,
    },
    ...{
      terms: { openForMs: 30_000, probes: 1 },
      who: 'mailer#1',
      reason: null,
      ageMs: 30_000,
      retryInMs: 18_000,
      types: ['mail'],
    },
    ...over,
  } as InspectedBreaker)
}

export function typeRow(name: string, over: Partial<InspectedType> = {}): Item {
  return typeItem({
    ...{
      type: name,
      declaration: null,
      pausedAt: null,
      pausedBy: null,
      pauseReason: null,
      badStreak: 0,
      counts: {},
      oldestDueAt: null,
    },
    ...{ workers: 1, oldestDueMs: null, unfinished: 0, held: null },
    ...over,
  } as InspectedType)
}
