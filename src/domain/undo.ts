/**
 * Taking a change back: given what it left and what is there now, what to restore, or why not. Pure; a store asks inside
 * the transaction that restores, so that nothing can come between the answer and the deed.
 */
import { createHash } from 'node:crypto'
import type { Job } from './job.ts'
import {
  imageFields,
  type BreakerImage,
  type JobChangeImage,
  type JobImage,
  type PauseImage,
  type TargetName,
  type TypeImage,
} from './operation.ts'

export interface JobNow {
  /** Null: it is not kept any more. */
  job: Job | null
  /** JSON text; looked at only when the operation changed them. */
  variables: string
  /** Whether the incident that the operation closed is still kept, and still closed. */
  incidentThere: boolean
  /** The same of the dead letter, received at the same instant. */
  deadLetterThere: boolean
}

export interface RestoredJob {
  status: 'changed'
  next: JobImage
  /** JSON text; only when the operation changed them. */
  variables?: string
  reopen: { incident: number | null; deadLetter: boolean }
  effectsEpoch?: number
  /** What does not come back, as a finished sentence; empty when all does. */
  why: string
  partly: boolean
}

/** `conflict`: something has happened since. */
export interface NotRestored {
  status: 'failed' | 'not_found'
  why: string
}

export function undoJob(jobKey: number, image: JobChangeImage, now: JobNow): RestoredJob | NotRestored {
  const { job } = now
  if (job === null) return notKept(jobKey)
  const why = whyNot(job, image) ?? whyNotData(job, image, now)
  if (why !== null) return { status: 'failed', why }
  const { variables, newEffects, incident, deadLetterAt } = image
  const forgotten = newEffects?.forgotten ?? []
  return {
    status: 'changed',
    next: image.before,
    ...(variables === undefined ? {} : { variables: variables.before }),
    reopen: { incident, deadLetter: deadLetterAt !== null },
    ...(newEffects === undefined ? {} : { effectsEpoch: newEffects.epoch }),
    why:
      forgotten.length === 0
        ? ''
        : `job ${jobKey} is as it was, but its forgotten steps do not come back: ${forgotten.join(', ')}`,
    partly: forgotten.length > 0,
  }
}

/** There is no image: it went with its job. */
export function undoUnknown({ jobKey, name }: TargetName, isJobKept: boolean): NotRestored {
  if (jobKey !== 0 && !isJobKept) return notKept(jobKey)
  return { status: 'failed', why: `what ${jobKey === 0 ? name : `job ${jobKey}`} was before is not known` }
}

const notKept = (jobKey: number): NotRestored => ({
  status: 'not_found',
  why: `job ${jobKey} is not kept any more`,
})

function whyNot(job: Job, { attempt, after }: JobChangeImage): string | null {
  if (job.attempt !== attempt)
    return `attempt ${job.attempt} of job ${job.key} has started since (it is ${job.state})`
  const left = fallenDue(after, job)
  if (job.state !== left.state) return `job ${job.key} was left ${left.state}, and is ${job.state} now`
  const moved = imageFields.find((field) => job[field] !== left[field])
  return moved === undefined
    ? null
    : `job ${job.key} was changed since: its ${moved} is ${String(job[moved])}, and was left ${String(left[moved])}`
}

/** That a job which was left waiting has become due is nobody's deed. */
function fallenDue(after: JobImage, job: Job): JobImage {
  return after.state === 'waiting' && job.state === 'available'
    ? { ...after, state: 'available', waitReason: null }
    : after
}

function whyNotData(
  { key }: Job,
  { variables, incident, deadLetterAt }: JobChangeImage,
  now: JobNow,
): string | null {
  if (variables !== undefined && variablesHash(now.variables) !== variables.afterHash)
    return `the variables of job ${key} were changed since`
  if (incident !== null && !now.incidentThere) return `the incident of job ${key} is not kept any more`
  if (deadLetterAt !== null && !now.deadLetterThere)
    return `the dead letter of job ${key} is not kept any more`
  return null
}

export function jobImage(job: JobImage): JobImage {
  const {
    state,
    waitReason,
    priority,
    runAt,
    retries,
    retriesGiven,
    failures,
    crashes,
    deferrals,
    deferringSince,
    deadlineAt,
    finishedAt,
  } = job
  return {
    state,
    waitReason,
    priority,
    runAt,
    retries,
    retriesGiven,
    failures,
    crashes,
    deferrals,
    deferringSince,
    deadlineAt,
    finishedAt,
  }
}

/** 32 hex digits of the JSON text. */
export function variablesHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

export function undoPause(
  type: string,
  { before, after }: TypeImage,
  now: PauseImage | null,
): { status: 'changed'; next: PauseImage } | NotRestored {
  if (now === null) return { status: 'not_found', why: `there is no type ${type} any more` }
  if (
    now.pausedAt === after.pausedAt &&
    now.pausedUntil === after.pausedUntil &&
    now.pausedBy === after.pausedBy
  ) {
    return { status: 'changed', next: before }
  }
  const state = now.pausedAt === null ? 'is not paused' : `is paused by ${now.pausedBy ?? 'somebody'}`
  return { status: 'failed', why: `the type ${type} was changed since: it ${state} now` }
}

/** The generation says whether anything has turned it since. */
export function undoBreaker(
  name: string,
  image: BreakerImage,
  generation: number | null,
): NotRestored | null {
  if (generation === null) return { status: 'not_found', why: `there is no breaker ${name} any more` }
  return generation === image.generation
    ? null
    : { status: 'failed', why: `the breaker ${name} has turned since` }
}
