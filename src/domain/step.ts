/** A step of a job that must take effect once: its intent is stored before it is done, its result after. */
import { WfError } from '../errors.ts'
import type { Job, JobState } from './job.ts'
import { preview } from '../text/preview.ts'

export interface Step {
  jobKey: number
  step: string
  /** The one that last stated its intent. */
  attempt: number
  /** Epoch ms of the first intent. */
  intentAt: number
  completedAt: number | null
  /** JSON text; null until completed. */
  result: string | null
  /** How often an attempt found an intent without a result: it may have taken effect as often before. */
  unknowns: number
}

/**
 * `result`: it is done, do not do it again. `new`: nobody has tried. `unknown`: somebody has, and did not say how it ended.
 * `stale`: the attempt is no longer the job's, and must do nothing.
 */
export type BegunStep = { result: string } | { intent: 'new' | 'unknown' | 'stale' }

/** The result that counts, which is the first; or that the attempt is no longer the job's, and nothing was stored. */
export type CompletedStep = { result: string } | { intent: 'stale' }

export interface ForgetSteps {
  jobKey: number
  /** Null: every one. */
  step: string | null
  who: string
  reason: string | null
  /** What became of the job is written as a target of this operation. */
  operation?: number
}

export const stepLimits = { nameCharacters: 200, resultBytes: 256 * 1024, perJob: 1_000 } as const

/** Throws a WfError `refused`. */
export function checkStepName(step: string): void {
  if (step !== '' && step.length <= stepLimits.nameCharacters) return
  throw new WfError(
    'refused',
    `the step ${preview(step, 60)} has ${step.length} characters; 1 to ${stepLimits.nameCharacters} are possible`,
    {
      hint: 'name the effect, such as charge; what tells two of a kind apart belongs behind it',
    },
  )
}

/** @param bytes of the result's JSON text as UTF-8. Throws a WfError `refused`. */
export function checkStepResult(step: string, bytes: number): void {
  if (bytes <= stepLimits.resultBytes) return
  throw new WfError(
    'refused',
    `the result of step ${preview(step, 60)} has ${bytes} bytes; at most ${stepLimits.resultBytes} are kept`,
    {
      hint: 'return what identifies it, such as the id of the charge, not all of it',
    },
  )
}

/** In lists, without its result. */
export interface ListedStep extends Omit<Step, 'result'> {
  type: string
  jobState: JobState
  /** Nobody knows whether it took effect: its attempt is over and stored no result. */
  unknown: boolean
}

export interface StepFilter {
  jobKeys?: readonly number[]
  types?: readonly string[]
  /** Only those whose outcome nobody knows. */
  unknown?: boolean
}

export function isUnknown(
  { completedAt, attempt }: Pick<Step, 'completedAt' | 'attempt'>,
  job: Pick<Job, 'state' | 'attempt'>,
): boolean {
  return completedAt === null && !(job.state === 'running' && job.attempt === attempt)
}
