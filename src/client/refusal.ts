/** Why a job was not accepted, as the error that a producer catches. */
import { WfError } from '../errors.ts'
import type { EnqueueResult } from '../engine/engine.ts'

export function refusalOf(type: string, refused: Extract<EnqueueResult, { status: 'refused' }>): WfError {
  switch (refused.reason) {
    case 'invalid':
      return refused.error
    case 'idempotency_conflict':
      return new WfError(
        'idempotency_conflict',
        `this idempotency key was used before for ${type} with other variables: job ${refused.key}`,
        {
          hint: 'one key stands for one job: use another key, or the same variables',
        },
      )
    case 'backlog_full':
      return new WfError(
        'backlog_full',
        `${type} has ${refused.depth} unfinished jobs; its backlog limit is ${refused.limit}`,
        {
          hint: 'try again when some are done, or let more workers run',
        },
      )
    case 'constraint':
      return new WfError('invalid_job', `the store does not take this job: ${refused.message}`)
  }
}
