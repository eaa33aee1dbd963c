/** What a change would make of jobs, by the rules that the store applies; it reads only, and keeps nothing. */
import { keptBecause } from '../domain/purge.ts'
import { resolveJob } from '../domain/resolve-job.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import { everyItem } from '../store/page.ts'
import type { Reader } from './engine.ts'

export interface Foretold {
  applied: Applied
  /** Null when there is no such job. */
  type: string | null
  /** What the history would keep; null where nothing would change. */
  change: Record<string, unknown> | null
}

export async function foretellResolution(
  store: Pick<Reader, 'job' | 'now'>,
  resolution: Resolution,
): Promise<Foretold> {
  const { jobKey } = resolution
  const detail = await store.job(jobKey)
  if (!detail)
    return {
      applied: { jobKey, status: 'not_found', from: null, to: null, why: `there is no job ${jobKey}` },
      type: null,
      change: null,
    }
  const { job, incidents, deadLetter, variables } = detail
  const openIncident = incidents.find(({ resolvedAt }) => resolvedAt === null) ?? null
  const openDeadLetter = deadLetter?.closedAt === null ? deadLetter : null
  const resolved = resolveJob({ job, openIncident, openDeadLetter, variables, resolution, now: store.now() })
  const at = { jobKey, status: resolved.status, from: job.state }
  if (resolved.status !== 'changed')
    return { applied: { ...at, to: null, why: resolved.why }, type: job.type, change: null }
  return { applied: { ...at, to: resolved.next.state, why: '' }, type: job.type, change: resolved.detail }
}

/** Read as lists are, without what the letters carry: there may be very many. */
export async function foretellPurge(
  store: Pick<Reader, 'jobs' | 'deadLetters'>,
  keys: readonly number[],
  open: boolean,
): Promise<readonly Applied[]> {
  const those = { keys, includeClosed: true }
  const [found, jobs] = await Promise.all([
    everyItem((page) => store.deadLetters(those, page)),
    everyItem((page) => store.jobs(those, page)),
  ])
  const letters = new Map(found.map((letter) => [letter.jobKey, letter]))
  const states = new Map(jobs.map(({ key, state }) => [key, state]))
  return keys.map((jobKey) => {
    const letter = letters.get(jobKey) ?? null
    const from = states.get(jobKey) ?? null
    const kept = keptBecause(jobKey, letter, { open })
    if (kept) return { jobKey, ...kept, from, to: from }
    return {
      jobKey,
      status: 'changed',
      from,
      to: letter?.closedAt === null && from !== null ? 'cancelled' : from,
      why: '',
    }
  })
}
