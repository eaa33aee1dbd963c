/** What a person can do next with a job, best first. Pure; the words for it belong to whoever shows them. */
import type { Incident } from '../domain/incident.ts'
import type { Job } from '../domain/job.ts'
import { runsAgain, type ResolutionVerb } from '../domain/resolution.ts'

export interface NextStep {
  verb: ResolutionVerb
  /** What it leads to, and what to look at first. */
  why: string
}

/** @param unknown its steps of which nobody knows whether they took effect */
export function nextSteps(
  job: Job,
  openIncident: Incident | null,
  unknown: readonly string[] = [],
): readonly NextStep[] {
  const steps = stepsOutOf(job, openIncident)
  return unknown.length === 0
    ? steps
    : steps.map((step) =>
        runsAgain(step.verb) ? { ...step, why: `${step.why}; ${doubtAbout(unknown)}` } : step,
      )
}

/** What the next attempt does about it is the handler's: it asks the other side (verify), or does the step again. */
function doubtAbout(steps: readonly string[]): string {
  const names =
    steps.length > 3 ? `${steps.slice(0, 3).join(', ')} and ${steps.length - 3} more` : steps.join(', ')
  return `${names} may have taken effect: unless its handler verifies that, it is done again, so ask the other side first`
}

function stepsOutOf(job: Job, openIncident: Incident | null): readonly NextStep[] {
  switch (job.state) {
    case 'failed':
      return [
        { verb: 'resolve', why: resolveAdvice(openIncident) },
        { verb: 'cancel', why: 'it never runs again' },
      ]
    case 'dead':
      return [
        { verb: 'dlq_retry', why: 'it runs again as it is' },
        { verb: 'discard', why: 'it never runs again' },
      ]
    case 'waiting':
      return [
        { verb: 'retry', why: 'it is due at once, with fresh counters' },
        { verb: 'cancel', why: 'it never runs' },
      ]
    case 'available':
      return [{ verb: 'cancel', why: 'it never runs' }]
    case 'running':
      return [
        { verb: 'cancel', why: "its handler's signal aborts, and what it reports afterwards is not applied" },
      ]
    default:
      return []
  }
}

function resolveAdvice(incident: Incident | null): string {
  if (incident?.kind === 'poison_message')
    return 'it runs again; its variables cannot succeed as they are, so set them with it'
  if (incident?.kind === 'crash_loop')
    return 'it runs again; its handler was lost three times in a row and may take its process with it'
  if (incident?.kind === 'result_invalid')
    return 'it runs again, although its effect has happened: check that first'
  if (incident?.kind === 'settlement_refused')
    return 'it runs again, although its effect may have happened: check that first'
  return 'it runs again'
}
