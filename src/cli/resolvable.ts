/** The open incidents that a selector means, apart from those that are passed by unless they are named. */
import type { Engine } from '../engine/engine.ts'
import { resolveIncidents } from '../engine/resolve-incidents.ts'
import type { Selector } from '../store/store.ts'
import type { Change } from './changes.ts'
import { who } from './who.ts'

export async function resolvable(engine: Engine, selector: Selector): Promise<{ keys: readonly number[]; passedBy: readonly Change[] }> {
  const { targets, guarded } = await resolveIncidents({ engine, selector, resolution: { who: who(), reason: null }, dryRun: true })
  const passedBy = guarded.map(
    ({ jobKey, kind }): Change => ({
      jobKey,
      status: 'skipped',
      from: 'failed',
      to: null,
      why: `${kind}: would do it again; its key or --kind takes it`,
    }),
  )
  return { keys: targets.map(({ jobKey }) => jobKey), passedBy }
}
