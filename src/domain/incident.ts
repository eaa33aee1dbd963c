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

/** A bulk resolution passes these by unless they are named: running them again as they are repeats the damage. */
export const guardedIncidentKinds: readonly IncidentKind[] = ['crash_loop', 'poison_message']

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
