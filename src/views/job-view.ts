/** A job as people and scripts see it. */
import type { Job, JobState } from '../domain/job.ts'
import type { InspectedJob } from '../engine/inspector.ts'
import { iso } from '../terminal/json.ts'
import type { Paint, Painter } from '../terminal/paint.ts'
import type { Column } from '../terminal/table.ts'
import { relative, span } from '../terminal/time.ts'

export function jobDocument(job: Job) {
  return {
    key: job.key,
    type: job.type,
    state: job.state,
    waitReason: job.waitReason,
    priority: job.priority,
    attempt: job.attempt,
    retries: job.retries,
    failures: job.failures,
    crashes: job.crashes,
    deferrals: job.deferrals,
    createdAt: iso(job.createdAt),
    runAt: iso(job.runAt),
    startedAt: iso(job.startedAt),
    finishedAt: iso(job.finishedAt),
    deadlineAt: iso(job.deadlineAt),
    workerId: job.workerId,
    parentKey: job.parentKey,
  }
}

/** `waiting: backoff` tells more than `waiting`. */
export function stateWords(job: Pick<Job, 'state' | 'waitReason'>): string {
  return job.waitReason === null ? job.state : `${job.state}: ${job.waitReason}`
}

const tones: Readonly<Record<JobState, keyof Paint | null>> = {
  available: null,
  waiting: 'yellow',
  running: 'cyan',
  completed: 'green',
  rejected: 'yellow',
  failed: 'red',
  dead: 'red',
  cancelled: 'dim',
}

export function statePainter(state: JobState, paint: Paint): Painter | undefined {
  const tone = tones[state]
  return tone === null ? undefined : paint[tone]
}

/** The instant that matters in this state, with its word. */
function whenWords(job: Job, now: number): string {
  if (job.finishedAt !== null) return relative(job.finishedAt, now)
  if (job.state === 'running' && job.startedAt !== null) return `for ${span(now - job.startedAt)}`
  if (job.state === 'waiting') return job.runAt > now ? relative(job.runAt, now) : 'due'
  if (job.state === 'available') return `due ${relative(job.runAt, now)}`
  return relative(job.startedAt ?? job.createdAt, now)
}

/** With what keeps it from starting. */
export function inspectedJobDocument(job: InspectedJob) {
  return { ...jobDocument(job), held: job.held }
}

const heldWords = { paused: 'paused', no_worker: 'no worker', breaker: 'breaker open' } as const

export function jobColumns(now: number): readonly Column<InspectedJob>[] {
  return [
    { title: 'KEY', value: ({ key }) => key, align: 'right' },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 12 },
    { title: 'STATE', value: stateWords, paint: ({ state }, paint) => statePainter(state, paint) },
    { title: 'WHEN', value: (job) => whenWords(job, now) },
    {
      title: 'HELD',
      value: ({ held }) => (held ? heldWords[held.by] : ''),
      paint: (_, paint) => paint.yellow,
      optional: 1,
    },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right', optional: 2 },
    { title: 'RETRIES', value: ({ retries }) => retries, align: 'right' },
    { title: 'PRIORITY', value: ({ priority }) => priority, align: 'right', optional: 4 },
    { title: 'ENQUEUED', value: ({ createdAt }) => relative(createdAt, now), optional: 3 },
    { title: 'WORKER', value: ({ workerId }) => workerId ?? '', shrinkTo: 10, optional: 5 },
  ]
}
