/**
 * What the engine tells after a commit: logs, statistics and tests listen. A listener that throws is the listener's
 * fault: it is reported once, the others still hear, and what was committed stands.
 */
import type { Settlement } from '../domain/outcome.ts'
import type { Applied } from '../domain/resolution.ts'
import type { Enqueued, Progress, Settled } from '../store/port.ts'
import type { Ended } from './engine.ts'

export interface EngineEventMap {
  enqueued: { enqueued: readonly Enqueued[] }
  settled: { end: Ended; settlement: Settlement; result: Settled; now: number }
  resolved: { applied: readonly Applied[] }
  /** Jobs that were stopped without an attempt of theirs: their deadline passed while they waited. */
  stopped: { jobs: readonly { jobKey: number; type: string }[] }
  /** By the engine itself (`who` is `wf`) or by a person. */
  paused: { type: string; who: string }
  resumed: { type: string; who: string }
  /** A handler told how far it is. Not a commit: statistics pass it on with their next flush. */
  progress: Progress
  /** An optional step of an attempt failed; the attempt goes on without it. Not a commit. */
  degraded: { jobKey: number; type: string; attempt: number; feature: string; thrown: unknown }
  /** Something to be counted under a fixed metric name. Not a commit either. */
  counted: { metric: string; labels: Readonly<Record<string, string>>; value: number }
}

export type EngineEvent = keyof EngineEventMap

export interface EngineEvents {
  /** Ends with the returned function. */
  on<K extends EngineEvent>(event: K, listener: (payload: EngineEventMap[K]) => void): () => void
  emit<K extends EngineEvent>(event: K, payload: EngineEventMap[K]): void
}

/** Is told of a listener's error, once a listener. */
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
