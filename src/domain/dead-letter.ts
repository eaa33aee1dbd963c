/** A dead letter: the stored copy of a poison or given-up job. One row a job, re-opened and counted. */
import type { ErrorRecord } from './error-record.ts'

export type DeadLetterReason = 'poison' | 'exhausted'

export const deadLetterReasons: readonly DeadLetterReason[] = ['poison', 'exhausted']

export interface DeadLetter {
  jobKey: number
  type: string
  /** The key of the job at the root of this one's parents: itself when no job enqueued it. */
  processInstanceKey: number
  reason: DeadLetterReason
  /** Class of the error; null when it is not known. */
  errorName: string | null
  errorCode: string | null
  errorMessage: string
  /** Epoch ms of the last time it was set aside. */
  receivedAt: number
  /** How often it was. */
  count: number
  closedAt: number | null
  closedBy: string | null
  /** How it was closed: the verb. */
  resolution: string | null
  closeReason: string | null
}

/** With what lists leave out. */
export interface StoredLetter extends DeadLetter {
  /** JSON text, as they were when it was set aside last. */
  variables: string
  error: ErrorRecord
}
