/** A cause: open incidents that share a fingerprint, counted and told apart from others. Pure; whoever finds them hands them in. */
import type { IncidentKind } from './incident.ts'

export interface Cause {
  /** 16 hex digits. */
  fingerprint: string
  type: string
  /** That of most of its incidents. */
  kind: IncidentKind
  /** All of them, the most frequent first. */
  kinds: readonly { kind: IncidentKind; count: number }[]
  code: string | null
  /** The class of the error, for one without a code. */
  name: string
  /** Without what differs from job to job. */
  message: string
  /** Of open incidents. */
  count: number
  /** Epoch ms, of the oldest and the newest open incident of those that were asked for. */
  firstAt: number
  lastAt: number
  /** Epoch ms; of the first incident of this fingerprint that is still kept, closed ones included. */
  seenAt: number
  /** How many came in the last window before now and in the one before that, closed ones included. */
  recent: { last: number; before: number }
  /** Jobs of some of its incidents, the newest first; at most `sampleSize`. */
  sampleKeys: readonly number[]
}

export type Trend = 'rising' | 'steady' | 'falling'

/** Of `recent`. */
export const trendWindowMs = 15 * 60_000
export const sampleSize = 200
/** The worst of more are told. */
export const mostCauses = 1_000

/** Less than a tenth up or down is steady. */
export function trendOf({ last, before }: Cause['recent']): Trend {
  if (Math.abs(last - before) * 10 < Math.max(last, before)) return 'steady'
  if (last === before) return 'steady'
  return last > before ? 'rising' : 'falling'
}

/** For sorting: the most incidents first, then the newest. Never 0 for two causes. */
export function worseFirst(
  a: Pick<Cause, 'count' | 'lastAt' | 'fingerprint'>,
  b: Pick<Cause, 'count' | 'lastAt' | 'fingerprint'>,
): number {
  return b.count - a.count || b.lastAt - a.lastAt || (a.fingerprint < b.fingerprint ? -1 : 1)
}

export interface StartedWorker {
  label: string
  startedAt: number
  leaseUntil: number
  types: readonly string[]
  quarantine: boolean
}

/**
 * When the program that now handles a type began to; null when no worker lives that does. The newest of several releases
 * counts. Within one label the oldest process does: a process that was replaced, or that runs suspects alone, is no release.
 */
export function programStart(workers: readonly StartedWorker[], type: string, now: number): number | null {
  const starts = new Map<string, number>()
  for (const { label, startedAt, leaseUntil, types, quarantine } of workers) {
    if (quarantine || leaseUntil <= now || !types.includes(type)) continue
    starts.set(label, Math.min(startedAt, starts.get(label) ?? startedAt))
  }
  return starts.size === 0 ? null : Math.max(...starts.values())
}
