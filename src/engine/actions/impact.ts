/** What would still block jobs that run again: a pause, an open breaker, or no worker for the type. */
import type { Engine } from '../engine.ts'
import { createInspector, heldBy, type Held } from '../inspector.ts'

export interface Impact {
  type: string
  jobs: number
  held: Held | null
}

/** By type, the largest first. */
export async function impactOf(
  { reader }: Engine,
  jobs: Iterable<{ type: string }>,
): Promise<readonly Impact[]> {
  const counts = new Map<string, number>()
  for (const { type } of jobs) counts.set(type, (counts.get(type) ?? 0) + 1)
  if (counts.size === 0) return []
  const known = new Map((await createInspector(reader, reader.now).types()).map((view) => [view.type, view]))
  const impact = [...counts].map(([type, count]): Impact => {
    const view = known.get(type)
    return { type, jobs: count, held: view?.held ?? heldBy(type, view, reader.now()) }
  })
  return impact.sort((a, b) => b.jobs - a.jobs)
}

/** Above this many jobs, finding what blocks them would take too long. */
const mostJobs = 20_000
const keysPerRead = 1_000

/** What blocks those of these jobs that are due or waiting now; nothing for more than 20,000. */
export async function impactNow(engine: Engine, keys: readonly number[]): Promise<readonly Impact[]> {
  if (keys.length > mostJobs) return []
  const blocked: { type: string }[] = []
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const page = { keys: keys.slice(start, start + keysPerRead) }
    const { items } = await engine.reader.jobs(page, { limit: keysPerRead })
    blocked.push(...items.filter(({ state }) => state === 'available' || state === 'waiting'))
  }
  return impactOf(engine, blocked)
}
