/** Brings targets of an operation back, each only if nothing has happened to it since. */
import type {
  BreakerImage,
  JobChangeImage,
  OperationTarget,
  TargetName,
  TypeImage,
  Undone,
} from '../../domain/operation.ts'
import { undoBreaker, undoJob, undoPause, undoUnknown, type NotRestored } from '../../domain/undo.ts'
import { restore, sharedAt } from '../../domain/breaker-row.ts'
import type { Changes } from '../../store/changes.ts'
import { targetName, type Facts, type FactSets } from '../../store/facts.ts'
import { combined, planOf } from '../../store/plan.ts'
import { written } from './breakers.ts'
import { operationFact, recorded } from './targets.ts'

export interface UndoTarget extends TargetName {
  /** The operation to undo. */
  of: number
  /** The undo's own operation. */
  operation: number
  /** The operation changed the variables of the job, so that they are needed to compare. */
  hasVariables: boolean
  who: string
  reason: string | null
}

interface Outcome {
  status: Undone['status']
  why: string
  partly?: boolean
}

interface Restored {
  outcome: Outcome
  changes: Changes
}

interface Present {
  facts: Facts
  now: number
}

export const undo = planOf<UndoTarget, Undone>({
  key: ({ jobKey, name }) => `${jobKey} ${name}`,
  facts: (item) => combined([undoFacts(item), operationFact(item)]),
  plan(item, facts, now) {
    const { jobKey, name, operation, of } = item
    const { outcome, changes } = undone(item, { facts, now })
    const { status, why, partly = false } = outcome
    return {
      answer: { jobKey, name, status, why, partly },
      changes: combined([
        changes,
        status === 'changed' ? { undoneTargets: [{ operation: of, jobKey, name, by: operation }] } : {},
        recorded(item, { facts, now }, [{ jobKey, name, status, why, image: null }]),
      ]),
    }
  },
})

function undoFacts(item: UndoTarget): FactSets {
  const { of, jobKey, name } = item
  return { ...restoredFacts(item), targets: [{ operation: of, jobKey, name }] }
}

/** All but the target itself. */
export function restoredFacts({ jobKey, name, hasVariables }: UndoTarget): FactSets {
  if (jobKey === 0) return { types: [name], breakers: [name] }
  const keys = [jobKey]
  return {
    jobs: keys,
    incidents: keys,
    deadLetters: keys,
    ...(hasVariables && { variables: keys }),
  }
}

function undone(item: UndoTarget, present: Present): Restored {
  const { of, jobKey, name } = item
  const what = jobKey === 0 ? name : `job ${jobKey}`
  const target = present.facts.targets.get(targetName({ operation: of, jobKey, name }))
  if (target?.status !== 'changed') return skipped(`operation ${of} did not change ${what}`)
  if (target.undoneBy !== null)
    return skipped(`${what} was brought back by operation ${target.undoneBy} already`)
  return restored(item, target, present)
}

const skipped = (why: string): Restored => ({ outcome: { status: 'skipped', why }, changes: {} })
const refused = (outcome: NotRestored): Restored => ({ outcome, changes: {} })
const whole: Outcome = { status: 'changed', why: '', partly: false }

/** Restores a target that has an image, and was changed. */
export function restored(item: UndoTarget, { image }: OperationTarget, present: Present): Restored {
  if (image === null) return refused(undoUnknown(item, present.facts.jobs.has(item.jobKey)))
  if (image.of === 'job') return restoredJob(item, image, present)
  if (image.of === 'type') return restoredType(item, image, present)
  return undoneBreaker(item, image, present)
}

function restoredJob(item: UndoTarget, image: JobChangeImage, { facts, now }: Present): Restored {
  const { jobKey, of, who, reason } = item
  const incident = facts.incidents.get(jobKey)?.find(({ id }) => id === image.incident)
  const letter = facts.deadLetters.get(jobKey)
  const restored = undoJob(jobKey, image, {
    job: facts.jobs.get(jobKey) ?? null,
    variables: facts.variables.get(jobKey) ?? '',
    incidentThere: incident !== undefined && incident.resolvedAt !== null,
    deadLetterThere: letter?.receivedAt === image.deadLetterAt && letter?.closedAt !== null,
  })
  if (restored.status !== 'changed') return refused(restored)
  const { next, variables, reopen, effectsEpoch } = restored
  const detail = { operation: of, from: image.after.state, to: image.before.state }
  return {
    outcome: restored,
    changes: {
      jobs: [{ key: jobKey, ...next }],
      ...(variables !== undefined && { variables: [{ jobKey, text: variables }] }),
      ...(effectsEpoch !== undefined && { effectsEpochs: [{ jobKey, epoch: effectsEpoch }] }),
      ...(reopen.incident !== null && { reopenedIncidents: [reopen.incident] }),
      ...(reopen.deadLetter && { reopenedDeadLetters: [jobKey] }),
      history: [{ event: 'undone', jobKey, at: now, who, reason, detail }],
    },
  }
}

/** A type that is resumed by it starts on a ramp, as after every pause. */
function restoredType(item: UndoTarget, image: TypeImage, { facts, now }: Present): Restored {
  const { name: type, of, who, reason } = item
  const restored = undoPause(type, image, facts.types.get(type) ?? null)
  if (restored.status !== 'changed') return refused(restored)
  const resumes = restored.next.pausedAt === null
  return {
    outcome: whole,
    changes: {
      pauses: [{ type, ...restored.next }],
      ...(resumes && { ramps: [{ type, at: now, started: 0 }] }),
      history: [
        {
          event: resumes ? 'type_resumed' : 'type_paused',
          jobKey: null,
          ...{ at: now, who, reason, detail: { type, undoes: of } },
        },
      ],
    },
  }
}

function undoneBreaker(item: UndoTarget, image: BreakerImage, { facts, now }: Present): Restored {
  const { name, of, who, reason } = item
  const found = facts.breakers.get(name) ?? null
  const refusal = undoBreaker(name, image, found?.generation ?? null)
  if (refusal !== null || found === null) return { outcome: refusal ?? whole, changes: {} }
  const why = reason ?? `operation ${of} was undone`
  const at = sharedAt(found.terms, now)
  const state = restore(found, image.before, at)
  return { outcome: whole, changes: written(found, state, { name, who, reason: why, at }).changes }
}
