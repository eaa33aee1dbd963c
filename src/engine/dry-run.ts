/** Dry runs: the plans of the engine over facts that are only read. Nothing is written. */
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { Reader } from './engine.ts'
import { purgeLetter } from './plans/purge.ts'
import { resolved, stoppedFacts } from './plans/resolve.ts'

type FactReader = Pick<Reader, 'facts' | 'now'>

export interface Foretold {
  applied: Applied
  /** Null if there is no such job. */
  type: string | null
  /** What the history would keep; null if nothing would change. */
  change: Record<string, unknown> | null
}

export async function foretellResolution(reader: FactReader, resolution: Resolution): Promise<Foretold> {
  const facts = await reader.facts(stoppedFacts(resolution))
  const { applied, detail } = resolved(resolution, facts, reader.now())
  return {
    applied: applied.status === 'changed' ? applied : { ...applied, to: null },
    type: facts.jobs.get(resolution.jobKey)?.type ?? null,
    change: detail,
  }
}

export async function foretellPurge(
  reader: FactReader,
  keys: readonly number[],
  open: boolean,
): Promise<readonly Applied[]> {
  const letters = keys.map((jobKey) => ({ jobKey, open, who: '', reason: null }))
  const facts = await reader.facts(purgeLetter.facts(letters))
  return purgeLetter.plan(letters, facts, reader.now()).answers
}
