/** How a waited-for job came to rest, as a program is told. */
import { WfError } from '../errors.ts'
import type { IncidentKind } from '../domain/incident.ts'
import type { Job } from '../domain/job.ts'
import type { JobDetail } from '../store/views.ts'

/** How a job came to rest. `failed` and `dead` wait for a person; the others are final. */
export interface JobEnd {
  readonly key: number
  readonly type: string
  readonly state: 'completed' | 'rejected' | 'cancelled' | 'failed' | 'dead'
  /** What the handler returned; only when completed. */
  readonly result?: unknown
  /** Why it did not complete. */
  readonly error?: { readonly name: string; readonly message: string; readonly code: string | null }
  /** The kind of the open incident; only when failed. */
  readonly incident?: IncidentKind
}

/** Throws a WfError `unexpected` for a job that is not at rest. */
export function jobEnd({ job, result, attempts, incidents, deadLetter }: JobDetail): JobEnd {
  const at = { key: job.key, type: job.type, state: restState(job) }
  switch (at.state) {
    case 'completed':
      return result === null ? at : { ...at, result: JSON.parse(result) }
    case 'failed': {
      const open = incidents.find(({ resolvedAt }) => resolvedAt === null)
      return open ? { ...at, incident: open.kind, error: briefly(open.error) } : at
    }
    case 'dead':
      return deadLetter
        ? { ...at, error: { name: 'Error', message: deadLetter.errorMessage, code: deadLetter.errorCode } }
        : at
    case 'rejected': {
      const error = attempts.find(({ outcome }) => outcome === 'business_error')?.error
      return error ? { ...at, error: briefly(error) } : at
    }
    case 'cancelled':
      return at
  }
}

function briefly({
  name,
  message,
  code,
}: {
  name: string
  message: string
  code: string | null
}): NonNullable<JobEnd['error']> {
  return { name, message, code }
}

function restState({ state, key }: Job): JobEnd['state'] {
  if (state === 'available' || state === 'waiting' || state === 'running')
    throw new WfError('unexpected', `job ${key} is not at rest`)
  return state
}
