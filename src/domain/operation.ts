/** An operation: one change that a person made, with what it was about and what became of each. Kept until retention takes it. */
import type { Job } from './job.ts'

/** The roads out of a stop, and `types pause`, `breakers trip`, `idempotency forget`, `workers release`, `wf undo` beside them. */
export const operationVerbs = [
  ...(['resolve', 'retry', 'dlq_retry', 'cancel', 'discard', 'purge', 'update'] as const),
  ...(['pause', 'resume', 'trip', 'close', 'forget', 'release', 'drain', 'undo', 'reveal'] as const),
] as const

export type OperationVerb = (typeof operationVerbs)[number]

/** Those that `wf undo` takes back where nothing has happened since. The others are final, or change nothing. */
export const undoableVerbs: readonly OperationVerb[] = [
  'resolve',
  'retry',
  'dlq_retry',
  'update',
  'pause',
  'resume',
  'trip',
  'close',
]

export interface NewOperation {
  verb: OperationVerb
  /** `user@host`, or what a program calls itself. */
  who: string
  /** What was meant, in words: flags as they are typed, or keys; at most `operationLimits.selectorCharacters`. */
  selector: string
  reason: string | null
  /** What was chosen with it: retries, set, newEffects, forMs … */
  flags: Readonly<Record<string, unknown>>
  /** How many targets were meant when they were frozen. */
  matched: number
  /** Of an undo: the operation that it takes back. */
  undoes?: number
}

/** matched = changed + skipped + failed + left, at every moment: counts are written with the targets themselves. */
export interface Operation extends Omit<NewOperation, 'undoes'> {
  id: number
  /** Epoch ms. */
  at: number
  changed: number
  skipped: number
  failed: number
  /** Epoch ms; null while it is at work, and when its process ended in the middle. */
  finishedAt: number | null
  /** Epoch ms of the last target. */
  touchedAt: number
  undoes: number | null
  /** The last operation that went to take it back. */
  undoneBy: number | null
  /** How many of the changed ones came back; 0 while `undoneBy` is null. */
  undone: number
}

/** Nothing of it is left to take back. What has changed since stays behind, and can come back later. */
export function isUndone({
  undoneBy,
  undone,
  changed,
}: Pick<Operation, 'undoneBy' | 'undone' | 'changed'>): boolean {
  return undoneBy !== null && undone >= changed
}

/** `pending`: meant, and not reached. */
export type TargetStatus = 'pending' | 'changed' | 'skipped' | 'failed' | 'not_found'

/** A job by its key, a step by its job's and its name; a type, breaker or worker by its name, with key 0. */
export interface TargetName {
  jobKey: number
  name: string
}

export interface NewTarget extends TargetName {
  status: TargetStatus
  /** A finished sentence for people; empty when changed and there is nothing to say. */
  why: string
  /** What it was before and what the operation left, for an undo; null where there is none. */
  image: TargetImage | null
}

export interface OperationTarget extends NewTarget {
  /** The undo that brought it back. */
  undoneBy: number | null
}

export type TargetImage = JobChangeImage | TypeImage | BreakerImage

/** Of a job's row: all that an operator's change can touch. */
export const imageFields = [
  ...(['state', 'waitReason', 'priority', 'runAt', 'retries', 'retriesGiven'] as const),
  ...(['failures', 'crashes', 'deferrals', 'deferringSince', 'deadlineAt', 'finishedAt'] as const),
] as const satisfies readonly (keyof Job)[]

export type JobImage = Pick<Job, (typeof imageFields)[number]>

export interface JobChangeImage {
  of: 'job'
  /** No attempt may have started since. */
  attempt: number
  before: JobImage
  after: JobImage
  /** Only when the operation changed them: the JSON text as it was, and a hash of what they became. */
  variables?: { before: string; afterHash: string }
  /** Id of the incident that it closed. */
  incident: number | null
  /** It closed the dead letter that was received at this instant. */
  deadLetterAt: number | null
  /** Names of the steps that it made forgotten, and the effects' epoch before. */
  newEffects?: { forgotten: readonly string[]; epoch: number }
}

/** A type's pause, as columns of its row. */
export interface PauseImage {
  pausedAt: number | null
  pausedBy: string | null
  pauseReason: string | null
  /** Epoch ms at which it ends by itself. */
  pausedUntil: number | null
  badStreak: number
}

export interface TypeImage {
  of: 'type'
  before: PauseImage
  after: PauseImage
}

export interface BreakerImage {
  of: 'breaker'
  /** Null: nobody had opened it yet. */
  before: { mode: 'closed' | 'half_open' | 'open'; by: 'calls' | 'operator'; expiresAt: number | null } | null
  /** Of what the operation left: nothing may have turned it since. */
  generation: number
}

export interface OperationFilter {
  /** Part of the name, whatever its case. */
  who?: string
  verbs?: readonly OperationVerb[]
  /** Epoch ms. */
  since?: number
  /** Only those that an undo could take back, as far as the operation itself goes. */
  undoable?: boolean
}

/** What became of one target of an operation that was to be taken back. */
export interface Undone extends TargetName {
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  /** A finished sentence: why not, or what did not come back with it; empty when all did. */
  why: string
  /** True: it changed, and something of it cannot come back. */
  partly: boolean
}

/** Why an operation can't be undone: it is an undo, its verb is final, nothing is left to undo, or it still runs. */
export type UndoRefusal = 'undo' | 'final' | 'undone' | 'unchanged' | 'at work'

/** Null: it can be undone, as far as the operation itself goes. */
export function undoRefusal(operation: Operation, now: number): UndoRefusal | null {
  if (operation.verb === 'undo') return 'undo'
  if (!undoableVerbs.includes(operation.verb)) return 'final'
  if (isUndone(operation)) return 'undone'
  if (operation.changed === 0) return 'unchanged'
  return operationState(operation, now) === 'at work' ? 'at work' : null
}

/** `17 18 19`, and of many the first and how many: the record of targets given by key or name. */
export function namedTargets(names: readonly (number | string)[]): string {
  const { namedKeys, selectorCharacters } = operationLimits
  const first = names.slice(0, namedKeys).join(' ')
  const text = names.length > namedKeys ? `${first} … (${names.length} in all)` : first
  return text.length > selectorCharacters ? `${text.slice(0, selectorCharacters - 1)}…` : text
}

export const operationLimits = { selectorCharacters: 2_000, namedKeys: 20 } as const

/** Not heard of for so long, an unfinished operation is taken for one whose process ended. */
const silenceMs = 60_000

export type OperationState = 'done' | 'at work' | 'interrupted'

export function operationState(
  { finishedAt, touchedAt, ...operation }: Operation,
  now: number,
): OperationState {
  if (finishedAt !== null) return leftOf(operation) > 0 ? 'interrupted' : 'done'
  return now - touchedAt < silenceMs ? 'at work' : 'interrupted'
}

export function leftOf({
  matched,
  changed,
  skipped,
  failed,
}: Pick<Operation, 'matched' | 'changed' | 'skipped' | 'failed'>): number {
  return Math.max(0, matched - changed - skipped - failed)
}
