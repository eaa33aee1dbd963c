/** What would still hold jobs that are sent back to work: a pause, a breaker, or nobody who handles them. */
import { createInspector, heldBy, type Held } from '../../engine/inspector.ts'
import type { Store } from '../../store/port.ts'
import type { Paint } from '../../terminal/paint.ts'
import { say, type Safe } from '../../terminal/safe.ts'
import { thousands } from '../../terminal/time.ts'

export interface Impact {
  type: string
  jobs: number
  held: Held | null
}

const mostTold = 10

/** By type, the largest first. */
export async function impactOf(store: Store, jobs: ReadonlyMap<string, number>): Promise<readonly Impact[]> {
  if (jobs.size === 0) return []
  const known = new Map(
    (await createInspector(store, () => store.now()).types()).map((type) => [type.type, type]),
  )
  const impact = [...jobs].map(([type, count]): Impact => {
    const view = known.get(type)
    return { type, jobs: count, held: view?.held ?? heldBy(type, view, store.now()) }
  })
  return impact.sort((a, b) => b.jobs - a.jobs)
}

export function heldWords(impact: readonly Impact[], paint: Paint): readonly Safe[] {
  const held = impact.flatMap(({ held, jobs, type }) => (held ? [{ why: held.why, jobs, type }] : []))
  const lines = held
    .slice(0, mostTold)
    .map(({ jobs, type, why }) => say`${paint.yellow(say`held`)} ${thousands(jobs)} of ${type}: ${why}`)
  return held.length > mostTold
    ? [...lines, say`… and ${held.length - mostTold} more types that are held`]
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

export function countedBy(types: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}
