/**
 * Events that the engine emits after a commit, for logs, statistics and tests. If a listener throws, its error is reported once;
 * the other listeners are still called, and the commit stands.
 */
import type { Ended, Settlement } from '../domain/outcome.ts'
import type { Applied } from '../domain/resolution.ts'
import type { Enqueued, Progress, Settled } from '../store/port.ts'

export interface EngineEventMap {
  enqueued: { enqueued: readonly Enqueued[] }
  settled: { end: Ended; settlement: Settlement; result: Settled; now: number }
  resolved: { applied: readonly Applied[] }
  /** Jobs whose deadline passed while they waited. */
  stopped: { jobs: readonly { jobKey: number; type: string }[] }
  /** `who` is `wf` for an automatic pause. */
  paused: { type: string; who: string }
  resumed: { type: string; who: string }
  /** A handler reported its progress. Not a commit: statistics store it with their next flush. */
  progress: Progress
  /** An optional step of an attempt failed; the attempt goes on without it. Not a commit. */
  degraded: { jobKey: number; type: string; attempt: number; feature: string; thrown: unknown }
  /** Increments a metric. Not a commit. */
  counted: { metric: string; labels: Readonly<Record<string, string>>; value: number }
}

export type EngineEvent = keyof EngineEventMap

export interface EngineEvents {
  /** Returns an unsubscribe function. */
  on<K extends EngineEvent>(event: K, listener: (payload: EngineEventMap[K]) => void): () => void
  emit<K extends EngineEvent>(event: K, payload: EngineEventMap[K]): void
}

/** Called for the first error of each listener. */
export type ReportListener = (error: unknown, event: EngineEvent) => void

type AnyListener = (payload: never) => unknown

export function createEvents(report: ReportListener = warnProcess): EngineEvents {
  const listeners = new Map<EngineEvent, Set<AnyListener>>()
  const reported = new WeakSet<AnyListener>()

  const fail = (listener: AnyListener, event: EngineEvent, error: unknown) => {
    if (reported.has(listener)) return
    reported.add(listener)
    try {
      report(error, event)
    } catch {
      warnProcess(error, event)
    }
  }
  return {
    on(event, listener) {
      const own: AnyListener = (payload) => listener(payload)
      const set = listeners.get(event) ?? new Set()
      listeners.set(event, set.add(own))
      return () => void set.delete(own)
    },
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          const answer = listener(payload as never)
          if (answer instanceof Promise) answer.catch((error: unknown) => fail(listener, event, error))
        } catch (error) {
          fail(listener, event, error)
        }
      }
    },
  }
}

function warnProcess(error: unknown, event: EngineEvent): void {
  process.emitWarning(
    `a listener to '${event}' failed: ${error instanceof Error ? error.message : String(error)}`,
  )
}
