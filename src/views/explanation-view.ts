/** Why a job is where it is, as people and scripts see it. */
import type { Advice, Explanation } from '../domain/explain-facts.ts'
import type { Job } from '../domain/job.ts'
import { stateWords, statePainter } from './job-view.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import { section, stepDocuments, stepLines, type Step } from './sections.ts'
import { quoted } from '../text/shell-words.ts'

export interface ExplainedJob {
  job: Job
  explanation: Explanation
}

export function explanationDocument({ job, explanation }: ExplainedJob, suffix: string) {
  const { why, next, at, commands } = explanation
  return {
    key: job.key,
    type: job.type,
    state: job.state,
    why,
    next,
    at: iso(at),
    commands: stepDocuments(steps(commands, suffix)),
  }
}

export function explanationPage(
  { job, explanation }: ExplainedJob,
  { paint, suffix }: { paint: Paint; suffix: string },
): readonly Safe[] {
  const state = statePainter(job.state, paint)?.(stateWords(job)) ?? stateWords(job)
  const sentences = (lines: readonly string[]) => lines.map((line) => say`  ${line}`)
  return [
    say`${paint.bold(say`job ${job.key}`)}  ${job.type}  ${state}`,
    ...section('why', sentences(explanation.why), paint),
    ...section('what happens next', sentences(explanation.next), paint),
    ...section('what you can do', stepLines(steps(explanation.commands, suffix), paint), paint),
  ]
}

/** `suffix` names the store where it is not the usual one. */
function steps(commands: readonly Advice[], suffix: string): readonly Step[] {
  return commands.map(({ args, why }) => ({ command: `wf ${args.map(quoted).join(' ')}${suffix}`, why }))
}
