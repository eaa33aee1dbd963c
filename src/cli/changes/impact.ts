/** Shows what still blocks jobs that run again. */
import type { Impact } from '../../engine/actions/impact.ts'
import type { Paint } from '../../terminal/paint.ts'
import { say, type Safe } from '../../terminal/safe.ts'
import { thousands } from '../../terminal/time.ts'

const mostLines = 10

export function heldWords(impact: readonly Impact[], paint: Paint): readonly Safe[] {
  const held = impact.flatMap(({ held, jobs, type }) => (held ? [{ why: held.why, jobs, type }] : []))
  const lines = held
    .slice(0, mostLines)
    .map(({ jobs, type, why }) => say`${paint.yellow(say`held`)} ${thousands(jobs)} of ${type}: ${why}`)
  return held.length > mostLines
    ? [...lines, say`… and ${held.length - mostLines} more types that are held`]
    : lines
}

export function impactDocument(impact: readonly Impact[]) {
  return impact.map(({ type, jobs, held }) => ({
    type,
    jobs,
    heldBy: held?.by ?? null,
    why: held?.why ?? null,
  }))
}
