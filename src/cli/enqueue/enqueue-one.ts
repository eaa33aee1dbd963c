/** Handing in one job, and waiting for it. */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { JobState } from '../../domain/job.ts'
import type { EnqueueInput } from '../../domain/new-job.ts'
import type { Engine } from '../../engine/engine.ts'
import { createJobWaiter } from '../../engine/job-waiter.ts'
import type { Enqueued } from '../../store/port.ts'
import { DetailedError } from '../errors.ts'
import { errorLine } from '../../views/error-view.ts'
import { jobDocument } from '../../views/job-view.ts'
import type { Output } from '../../terminal/output.ts'
import { safeLines, say } from '../../terminal/safe.ts'
import { relative } from '../../terminal/time.ts'
import type { JobDetail } from '../../store/views.ts'

export interface Accepted {
  key: number
  status: 'created' | 'duplicate'
}

/** Throws what a refusal means to the caller. */
export async function enqueueOne(engine: Engine, input: EnqueueInput): Promise<Accepted> {
  const [enqueued] = await engine.enqueue([input])
  if (!enqueued) throw new WfError('unexpected', 'the store did not answer')
  if (enqueued.status === 'refused') throw refusal(enqueued, input)
  return enqueued
}

type Refused = Extract<Enqueued, { status: 'refused' }>

export function refusal(refused: Refused, { type, idempotencyKey }: EnqueueInput): WfError {
  switch (refused.reason) {
    case 'idempotency_conflict':
      return new DetailedError(
        'idempotency_conflict',
        `job ${refused.key} has the idempotency key ${JSON.stringify(idempotencyKey)} and other variables`,
        {
          hint: `a key names one job: use another key, or see wf jobs show ${refused.key}`,
          details: { key: refused.key },
        },
      )
    case 'backlog_full':
      return new WfError(
        'backlog_full',
        `${type} has ${refused.depth} unfinished jobs; its handler takes ${refused.limit} at most`,
        {
          hint: "wait until workers have caught up, start more of them, or raise the handler's backlogLimit",
        },
      )
    case 'constraint':
      return new WfError('invalid_job', `the store refused the job: ${refused.message}`)
  }
}

export function tellAccepted(
  output: Output,
  { key, status }: Accepted,
  { input, now, ids }: { input: EnqueueInput; now: number; ids: boolean },
): void {
  output.document({ key, type: input.type, status })
  const start = startOf(input, now)
  const enqueued = say`job ${key} enqueued  ${output.paint.dim(say`${input.type}${start > now ? `, starts ${relative(start, now)}` : ''}`)}`
  const known = say`job ${key} was there already: same type, idempotency key and variables`
  if (ids) output.print(say`${key}`)
  else output.print(status === 'duplicate' ? known : enqueued)
}

function startOf({ delay, at }: EnqueueInput, now: number): number {
  if (typeof delay === 'number') return now + delay
  return typeof at === 'number' ? at : now
}

/** Ends when the job has come to rest; a job that did not complete, and a wait that was too long, are errors. */
export async function awaitResult(
  output: Output,
  { engine, clock, accepted, timeoutMs }: AwaitOptions,
): Promise<void> {
  const { key } = accepted
  output.note(output.errPaint.dim(say`job ${key} enqueued; waiting`))
  const detail = await waited({ engine, clock, accepted, timeoutMs })
  if (!detail)
    throw new WfError('not_found', `job ${key} is gone`, {
      hint: 'it was finished and pruned while we waited',
    })
  if (detail.job.state !== 'completed') throw notCompleted(detail)
  const result: unknown = detail.result === null ? null : JSON.parse(detail.result)
  output.document({
    key,
    type: detail.job.type,
    status: accepted.status,
    state: detail.job.state,
    result,
    job: jobDocument(detail.job),
  })
  output.print(...safeLines(JSON.stringify(result, null, 2)))
}

export interface AwaitOptions {
  engine: Engine
  clock: Clock
  accepted: Accepted
  timeoutMs: number | undefined
}

async function waited({
  engine,
  clock,
  accepted: { key },
  timeoutMs,
}: AwaitOptions): Promise<JobDetail | null> {
  const waiter = createJobWaiter({ store: engine.reader, clock })
  try {
    return await waiter.wait(key, timeoutMs === undefined ? {} : { timeoutMs })
  } catch (error) {
    // The key is what a script needs to go on from here.
    if (!(error instanceof WfError) || error.code !== 'wait_timeout') throw error
    throw new DetailedError('wait_timeout', error.message, {
      hint: `it stays in the store: wf jobs show ${key}`,
      details: { key },
    })
  } finally {
    await waiter.close()
  }
}

const endings: Partial<Record<JobState, string>> = {
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  failed: 'has failed and waits for a person',
  dead: 'was set aside as a dead letter',
}

function notCompleted({ job, incidents, attempts }: JobDetail): WfError {
  const error = incidents.find(({ resolvedAt }) => resolvedAt === null)?.error ?? attempts.at(-1)?.error
  return new DetailedError(
    'job_not_successful',
    `job ${job.key} ${endings[job.state] ?? `is ${job.state}`}${error ? `\n${errorLine(error)}` : ''}`,
    {
      hint: `wf jobs show ${job.key}`,
      details: { key: job.key, state: job.state },
    },
  )
}
