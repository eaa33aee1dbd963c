/** Resolves jobs: the ways out of a stop, and changes of waiting jobs. */
import type { JobState } from '../../domain/job.ts'
import type { JobChangeImage } from '../../domain/operation.ts'
import { resolveJob } from '../../domain/resolve-job.ts'
import type { Resolved, Stopped, Applied, Resolution } from '../../domain/resolution.ts'
import { jobImage, variablesHash } from '../../domain/undo.ts'
import type { Changes } from '../../store/changes.ts'
import type { EffectsFact, Facts, FactSets } from '../../store/facts.ts'
import { combined, planOf } from '../../store/plan.ts'
import { operationFact, recorded } from './targets.ts'

export const resolve = planOf<Resolution, Applied>({
  key: ({ jobKey }) => jobKey,
  facts: (resolution) => combined([stoppedFacts(resolution), operationFact(resolution)]),
  plan(resolution, facts, now) {
    const { applied, changes, image } = resolved(resolution, facts, now)
    return {
      answer: applied,
      changes: combined([changes, target(resolution, applied, { image, facts, now })]),
    }
  },
  refused({ jobKey, operation }, { message }, now) {
    const why = `the store refused the change of job ${jobKey}: ${message}`
    const target = { jobKey, name: '', status: 'failed' as const, why, image: null, at: now }
    return {
      answer: { jobKey, status: 'failed', from: null, to: null, why },
      changes: operation === undefined ? {} : { targets: [{ ...target, operation }] },
    }
  },
})

/** A job's target says what became of it. */
export function target(
  of: Pick<Resolution, 'operation'>,
  { jobKey, status, why }: Applied,
  { image, ...at }: { image: JobChangeImage | null; facts: Facts; now: number },
): Changes {
  return recorded(of, at, [{ jobKey, name: '', status, why, image }])
}

export function stoppedFacts({ jobKey, set, newEffects }: Resolution): FactSets {
  const keys = [jobKey]
  return {
    ...{ jobs: keys, incidents: keys, deadLetters: keys },
    ...(set && { variables: keys }),
    ...(newEffects && { effects: keys }),
  }
}

/** Without a target: `image` is for it. */
export function resolved(
  resolution: Resolution,
  facts: Facts,
  now: number,
): {
  applied: Applied
  changes: Changes
  image: JobChangeImage | null
  detail: Record<string, unknown> | null
} {
  const { jobKey } = resolution
  const stopped = stoppedJob(resolution, facts, now)
  if (stopped === null)
    return unchanged({ jobKey, status: 'not_found', from: null, to: null, why: `there is no job ${jobKey}` })
  const { state } = stopped.job
  const change = resolveJob(stopped)
  if (change.status !== 'changed') return unchanged(same(jobKey, state, change))
  const effects = resolution.newEffects ? (facts.effects.get(jobKey) ?? { epoch: 0, steps: [] }) : null
  return {
    applied: { jobKey, status: 'changed', from: state, to: change.next.state, why: '' },
    changes: changesOf(stopped, change, effects),
    image: imageOf(stopped, change, effects),
    detail: change.detail,
  }
}

const unchanged = (applied: Applied) => ({ applied, changes: {}, image: null, detail: null })

function same(jobKey: number, state: JobState, { status, why }: Exclude<Resolved, Changed>): Applied {
  return { jobKey, status, from: state, to: state, why }
}

function stoppedJob(resolution: Resolution, facts: Facts, now: number): Stopped | null {
  const { jobKey } = resolution
  const job = facts.jobs.get(jobKey)
  if (job === undefined) return null
  const deadLetter = facts.deadLetters.get(jobKey)
  return {
    job,
    openIncident: facts.incidents.get(jobKey)?.find(({ resolvedAt }) => resolvedAt === null) ?? null,
    openDeadLetter: deadLetter?.closedAt === null ? deadLetter : null,
    variables: facts.variables.get(jobKey) ?? '',
    resolution,
    now,
  }
}

type Changed = Extract<Resolved, { status: 'changed' }>

function changesOf({ resolution, now }: Stopped, change: Changed, effects: EffectsFact | null): Changes {
  const { jobKey, verb, who, reason } = resolution
  const closing = { jobKey, who, resolution: verb, reason, at: now }
  const anew = effects && { effectsEpoch: effects.epoch + 1, forgotten: stepNames(effects) }
  return {
    jobs: [{ key: jobKey, ...jobImage(change.next) }],
    ...(change.variables !== undefined && { variables: [{ jobKey, text: change.variables }] }),
    ...(change.close.incident && { closedIncidents: [closing] }),
    ...(change.close.deadLetter && { closedDeadLetters: [closing] }),
    ...(anew && {
      effectsEpochs: [{ jobKey, epoch: anew.effectsEpoch }],
      removedSteps: [{ jobKey, step: null }],
    }),
    history: [{ event: change.event, jobKey, at: now, who, reason, detail: { ...change.detail, ...anew } }],
  }
}

function imageOf(
  { job, openIncident, openDeadLetter, variables }: Stopped,
  change: Changed,
  effects: EffectsFact | null,
): JobChangeImage {
  return {
    of: 'job',
    attempt: job.attempt,
    before: jobImage(job),
    after: jobImage(change.next),
    ...(change.variables !== undefined && {
      variables: { before: variables, afterHash: variablesHash(change.variables) },
    }),
    incident: openIncident?.id ?? null,
    deadLetterAt: openDeadLetter?.receivedAt ?? null,
    ...(effects && { newEffects: { forgotten: stepNames(effects), epoch: effects.epoch } }),
  }
}

const stepNames = ({ steps }: EffectsFact) => [...steps].sort()
