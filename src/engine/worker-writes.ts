/** What workers write about themselves: their rows and leases, the types they handle, their breakers, and steps. */
import type { Clock } from '../clock.ts'
import type { LocalBreaker } from '../domain/breaker-row.ts'
import type { Store } from '../store/port.ts'
import type { TypeDeclaration, WorkerRow } from '../store/views.ts'
import { SharedBreakers } from './breakers.ts'
import {
  declareTypes,
  registerWorkers,
  reportBreakers,
  retireWorkers,
  setWorkerState,
} from './plans/workers.ts'
import { transactOne } from './transact-one.ts'

export interface WorkerWrites {
  register(rows: readonly WorkerRow[]): Promise<void>
  /** Extends the leases of workers to `leaseUntil`, epoch ms; answers the attempts they hold and their states. */
  renew(workerIds: readonly string[], leaseUntil: number): ReturnType<Store['renew']>
  declare(types: readonly TypeDeclaration[]): Promise<void>
  /** Marks workers as draining. */
  drain(workerIds: readonly string[]): Promise<void>
  /** Deletes the row; attempts that it still holds expire at once. */
  retire(workerId: string): Promise<void>
  reportBreakers(workerId: string, breakers: readonly LocalBreaker[]): Promise<void>
  readonly steps: Pick<Store, 'beginStep' | 'completeStep' | 'withdrawStep'>
  /** The breakers that all workers of the store share, as the worker `who` uses them. */
  sharedBreakers(options: { clock: Clock; who: string; onError(error: unknown): void }): SharedBreakers
}

export function workerWrites(store: Store): WorkerWrites {
  return {
    async register(rows) {
      await store.transact(registerWorkers, rows, store.now())
    },
    renew: (workerIds, leaseUntil) => store.renew(workerIds, leaseUntil, store.now()),
    async declare(types) {
      await store.transact(declareTypes, types, store.now())
    },
    async drain(workerIds) {
      const changes = workerIds.map((id) => ({ id, state: 'draining' as const }))
      await store.transact(setWorkerState, changes, store.now())
    },
    async retire(workerId) {
      await transactOne(store, retireWorkers, { id: workerId })
    },
    async reportBreakers(workerId, breakers) {
      await transactOne(store, reportBreakers, { id: workerId, breakers })
    },
    steps: store,
    sharedBreakers: (options) => new SharedBreakers({ store, ...options }),
  }
}
