/** An incident: a stopped job that waits for a person. A job has at most one open one. */
import type { ErrorRecord } from './error-record.ts'

export type IncidentKind =
  | 'job_no_retries'
  | 'raised'
  | 'non_retryable'
  | 'poison_message'
  | 'unhandled_business_error'
  | 'deferred_too_long'
  | 'crash_loop'
  | 'result_invalid'
  | 'deadline_exceeded'
  /** The store refused what the attempt wanted to write. */
  | 'settlement_refused'

export const incidentKinds: readonly IncidentKind[] = [
  'job_no_retries',
  'raised',
  'non_retryable',
  'poison_message',
  'unhandled_business_error',
  'deferred_too_long',
  'crash_loop',
  'result_invalid',
  'deadline_exceeded',
  'settlement_refused',
]

/** Kinds that a selector alone doesn't run again: unchanged, the jobs would repeat their damage. */
export const guardedIncidentKinds: readonly IncidentKind[] = [
  'poison_message',
  'crash_loop',
  'result_invalid',
  'settlement_refused',
]

/** True for a guarded kind that the selector names neither by key nor by kind. */
export function isGuarded(
  kind: string,
  { keys, incidentKinds }: { keys?: readonly number[]; incidentKinds?: readonly IncidentKind[] },
): boolean {
  const isOne = (known: IncidentKind) => known === kind
  return keys === undefined && guardedIncidentKinds.some(isOne) && incidentKinds?.some(isOne) !== true
}

export interface Incident {
  id: number
  jobKey: number
  type: string
  kind: IncidentKind
  error: ErrorRecord
  /** type + code + normalised message + top frame: one cause. 16 hex digits. */
  fingerprint: string
  /** The attempt that ended in it; 0 when none had started. */
  attempt: number
  createdAt: number
  resolvedAt: number | null
  resolvedBy: string | null
  /** How it was closed: the verb. */
  resolution: string | null
  reason: string | null
}
