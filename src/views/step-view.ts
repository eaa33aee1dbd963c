/** Steps that a job must take once, as people and scripts see them. */
import type { Job } from '../domain/job.ts'
import { isUnknown, type ListedStep, type Step } from '../domain/step.ts'
import { readable } from './history-messages.ts'
import { iso } from '../terminal/json.ts'
import type { Paint, Painter } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import { indented } from './sections.ts'
import { table, type Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'

type Outcome = 'done' | 'unknown' | 'under_way'
type Seen = Pick<Step, 'completedAt' | 'unknowns'> & { unknown: boolean }

function outcomeOf({ completedAt, unknown }: Seen): Outcome {
  if (completedAt !== null) return 'done'
  return unknown ? 'unknown' : 'under_way'
}

const words: Readonly<Record<Outcome, string>> = { done: 'done', unknown: 'unknown', under_way: 'under way' }
const tones: Readonly<Record<Outcome, keyof Paint>> = { done: 'green', unknown: 'yellow', under_way: 'cyan' }
const painter = (step: Seen, paint: Paint): Painter => paint[tones[outcomeOf(step)]]

/** What a person should know of it. */
function noteOf(step: Seen): string {
  if (outcomeOf(step) === 'unknown') return 'it may have taken effect: its attempt ended before it said how'
  if (step.unknowns === 0) return ''
  return `${step.unknowns === 1 ? 'an attempt' : `${step.unknowns} attempts`} before ended without saying how: it may have taken effect more than once`
}

type OfJob = Pick<Job, 'state' | 'attempt'>
const seen = (step: Step, job: OfJob) => ({ ...step, unknown: isUnknown(step, job) })

/** @param full with its result */
export function stepDocument(step: Step, job: OfJob, full: boolean) {
  const { step: name, attempt, intentAt, completedAt, unknowns, result } = step
  const known = {
    step: name,
    outcome: outcomeOf(seen(step, job)),
    attempt,
    intentAt: iso(intentAt),
    completedAt: iso(completedAt),
    unknowns,
  }
  return full ? { ...known, result: result === null ? null : readable(result) } : known
}

export function stepLinesOf(
  steps: readonly Step[],
  job: OfJob,
  { paint, width, now }: { paint: Paint; width: number | null; now: number },
): readonly Safe[] {
  const columns: readonly Column<ReturnType<typeof seen>>[] = [
    { title: 'STEP', value: ({ step }) => step, shrinkTo: 12 },
    { title: 'OUTCOME', value: (step) => words[outcomeOf(step)], paint: painter },
    { title: 'WHEN', value: ({ completedAt, intentAt }) => relative(completedAt ?? intentAt, now) },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right', optional: 2 },
    { title: 'NOTE', value: noteOf, shrinkTo: 20, optional: 1 },
  ]
  const items = steps.map((step) => seen(step, job))
  return steps.length === 0
    ? []
    : indented(table(items, columns, { paint, width: width === null ? null : width - 2 }))
}

export function listedStepDocument(listed: ListedStep) {
  const { jobKey, type, jobState, step, attempt, intentAt, completedAt, unknowns } = listed
  return {
    key: jobKey,
    type,
    jobState,
    step,
    outcome: outcomeOf(listed),
    attempt,
    intentAt: iso(intentAt),
    completedAt: iso(completedAt),
    unknowns,
  }
}

export function listedStepColumns(now: number): readonly Column<ListedStep>[] {
  return [
    { title: 'KEY', value: ({ jobKey }) => jobKey, align: 'right' },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 12 },
    { title: 'STEP', value: ({ step }) => step, shrinkTo: 12 },
    { title: 'OUTCOME', value: (step) => words[outcomeOf(step)], paint: painter },
    { title: 'WHEN', value: ({ completedAt, intentAt }) => relative(completedAt ?? intentAt, now) },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right', optional: 2 },
    { title: 'JOB', value: ({ jobState }) => jobState, optional: 1 },
    { title: 'NOTE', value: noteOf, shrinkTo: 16, optional: 3 },
  ]
}

/** `charge, mail`: those whose outcome nobody knows; null when all is known. */
export function unknownSteps(steps: readonly Step[], job: OfJob): Safe | null {
  const names = steps.filter((step) => isUnknown(step, job)).map(({ step }) => step)
  return names.length === 0 ? null : say`${names.join(', ')}: may have taken effect, or not`
}
