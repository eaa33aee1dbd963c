/** The rows of workers: registered, drained, retired; and what workers declare of types and report of breakers. */
import type { LocalBreaker } from '../../domain/breaker-row.ts'
import type { NewHistoryRow } from '../../store/event.ts'
import { combined, planOf } from '../../store/plan.ts'
import type { TypeDeclaration, WorkerRow } from '../../store/views.ts'
import { namedTarget, operationFact, recorded, type OfOperation } from './targets.ts'

/** A person's request that workers drain. */
export interface WorkerDrain extends OfOperation {
  who: string
  reason: string | null
}

/** A person's statement that workers are dead. */
export interface WorkerRelease extends WorkerDrain {
  /** Released without a check whether they live. */
  forced: boolean
}

export const registerWorkers = planOf<WorkerRow, null>({
  key: ({ id }) => id,
  facts: () => ({}),
  plan: (worker) => ({ answer: null, changes: { workers: [worker] } }),
})

/** `drain`: a person asked for it. Workers see their state with their next renewal. */
export const setWorkerState = planOf<{ id: string; state: WorkerRow['state']; drain?: WorkerDrain }, null>({
  key: ({ id }) => id,
  facts: ({ drain = {} }) => operationFact(drain),
  plan({ id, state, drain }, facts, now) {
    const changes = { workerStates: [{ id, state }] }
    if (drain === undefined) return { answer: null, changes }
    const { who, reason } = drain
    const event: NewHistoryRow = {
      ...{ event: 'worker_drained', jobKey: null, at: now, who, reason, detail: { worker: id } },
    }
    const target = recorded(drain, { facts, now }, [namedTarget(id, 'changed')])
    return { answer: null, changes: combined([changes, { history: [event] }, target]) }
  },
})

/** Deletes the rows. Attempts that the workers still hold expire at once. `release`: a person asked for it. */
export const retireWorkers = planOf<{ id: string; release?: WorkerRelease }, null>({
  key: ({ id }) => id,
  facts: ({ id, release }) => (release ? combined([{ workers: [id] }, operationFact(release)]) : {}),
  plan({ id, release }, facts, now) {
    const changes = { retiredWorkers: [id] }
    if (release === undefined) return { answer: null, changes }
    const { who, reason, forced } = release
    const row = facts.workers.get(id)
    const known = row && { label: row.label, pid: row.pid, host: row.host, leaseUntil: row.leaseUntil }
    const event: NewHistoryRow = {
      ...{ event: 'worker_released', jobKey: null, at: now, who, reason },
      detail: { worker: id, ...known, forced },
    }
    const target = recorded(release, { facts, now }, [namedTarget(id, 'changed')])
    return { answer: null, changes: combined([changes, { history: [event] }, target]) }
  },
})

export const declareTypes = planOf<TypeDeclaration, null>({
  key: ({ type }) => type,
  facts: () => ({}),
  plan: (declaration, _facts, now) => ({
    answer: null,
    changes: { declaredTypes: [{ ...declaration, at: now }] },
  }),
})

/** Process-local breakers of a worker, kept in its row. Ignored if it has none. */
export const reportBreakers = planOf<{ id: string; breakers: readonly LocalBreaker[] }, null>({
  key: ({ id }) => id,
  facts: () => ({}),
  plan: (report) => ({ answer: null, changes: { workerBreakers: [report] } }),
})
