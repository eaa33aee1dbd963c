/** What the engine tells after a commit: logs, statistics and tests listen. A listener that throws is the caller's bug and is reported, never the job's. */
import type { Settlement } from '../domain/outcome.ts'
import type { Applied } from '../domain/resolution.ts'
import type { Enqueued, Settled } from '../store/store.ts'
import type { Ended } from './engine.ts'

export interface EngineEventMap {
  enqueued: { enqueued: readonly Enqueued[] }
  settled: { end: Ended; settlement: Settlement; result: Settled; now: number }
  resolved: { applied: readonly Applied[] }
  paused: { type: string }
}

export interface EngineEvents {
  on<K extends keyof EngineEventMap>(event: K, listener: (payload: EngineEventMap[K]) => void): () => void
  emit<K extends keyof EngineEventMap>(event: K, payload: EngineEventMap[K]): void
}

export function createEvents(): EngineEvents {
  const listeners = new Map<keyof EngineEventMap, Set<(payload: never) => void>>()
  return {
    on(event, listener) {
      const set = listeners.get(event) ?? new Set()
      listeners.set(event, set.add(listener))
      return () => set.delete(listener)
    },
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) listener(payload as never)
    },
  }
}
