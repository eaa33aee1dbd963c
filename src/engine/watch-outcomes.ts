/**
 * Waits for what becomes of jobs that were sent to work again: until each has come through, failed again, or cannot start.
 * It reads only.
 */
import type { Clock } from '../clock.ts'
import type { Job } from '../domain/job.ts'
import { verdictOf, type Verdict, type Watched, type WatchedFacts } from '../domain/rerun-result.ts'
import type { Reader } from './engine.ts'
import type { EngineEvents } from './events.ts'
import { createInspector, heldBy, type Held } from './inspector.ts'
import { readJobs } from './read-jobs.ts'
import { untilSeen } from './wait-until.ts'

export interface Verify {
  store: Reader
  /** Of an engine on the same connection, whose commits no watch reports. */
  events?: EngineEvents
  clock: Clock
  watched: readonly Watched[]
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Ends the wait with the first that did not come through or cannot start: what the others prove changes nothing then. */
  stopsEarly?: boolean
  /** Once for each type that is held, as soon as it is seen. */
  onHeld?: (type: string, held: Held) => void
  onProgress?: (done: number, of: number) => void
}

export interface Verification {
  /** `all`: nothing is left to be seen. `held`: what is left cannot start. */
  ended: 'all' | 'early' | 'held' | 'timeout' | 'interrupted'
  seen: readonly { target: Watched; verdict: Verdict }[]
  unfinished: readonly { target: Watched; held: Held | null }[]
  tookMs: number
}

/** Between two looks when nobody told of a change. */
const mostMs = 500
const keysPerLook = 1_000

/** Rejects with the store's error. */
export async function verify(options: Verify): Promise<Verification> {
  const { clock, watched } = options
  const beganAt = clock.monotonic()
  const { look, state } = lookout(options)
  const ended = watched.length === 0 ? 'all' : await untilSeen({ ...options, mostMs, look })
  return { ended, ...state(), tookMs: clock.monotonic() - beganAt }
}

/** What has been seen so far. A look answers how the wait ends, or null. */
function lookout({ store, watched, stopsEarly = false, onHeld, onProgress }: Verify) {
  const inspector = createInspector(store, () => store.now())
  const pending = new Map(watched.map((target) => [target.jobKey, target]))
  const seen: { target: Watched; verdict: Verdict }[] = []
  const held = new Map<number, Held>()
  const known = new Map<number, string>()
  const told = new Set<string>()

  /** Something has happened to it since it was read: only then a job is read whole. */
  const isNews = (target: Watched, job: Job | undefined): boolean => {
    if (job && !hasNews(job, target)) return false
    const print = job ? `${job.state} ${job.attempt}` : 'gone'
    if (known.get(target.jobKey) === print) return false
    known.set(target.jobKey, print)
    return true
  }
  const judge = (target: Watched, facts: WatchedFacts | null) => {
    const verdict = verdictOf(target, facts)
    if (verdict === null) return
    pending.delete(target.jobKey)
    seen.push({ target, verdict })
  }
  const hold = (target: Watched, by: Held | null) => {
    if (by === null) return void held.delete(target.jobKey)
    held.set(target.jobKey, by)
    if (!told.has(target.type)) onHeld?.(target.type, by)
    told.add(target.type)
  }
  const lookAt = async (targets: readonly Watched[]) => {
    const { items } = await inspector.jobs(
      { keys: targets.map(({ jobKey }) => jobKey) },
      { limit: keysPerLook },
    )
    const jobs = new Map(items.map((job) => [job.key, job]))
    const news = new Map(
      targets
        .filter((target) => isNews(target, jobs.get(target.jobKey)))
        .map((target) => [target.jobKey, target]),
    )
    for await (const [key, detail] of readJobs(store, [...news.keys()])) {
      const target = news.get(key)
      if (target) judge(target, detail)
    }
    for (const target of targets)
      if (pending.has(target.jobKey)) hold(target, jobs.get(target.jobKey)?.held ?? null)
  }
  return {
    async look(): Promise<'all' | 'early' | 'held' | null> {
      const targets = [...pending.values()]
      for (let start = 0; start < targets.length; start += keysPerLook)
        await lookAt(targets.slice(start, start + keysPerLook))
      onProgress?.(seen.length, watched.length)
      if (pending.size === 0) return 'all'
      if (stopsEarly && seen.some(({ verdict }) => !isThrough(verdict))) return 'early'
      const stuck = [...pending.keys()].filter((key) => isStuck(held.get(key)))
      return stuck.length === pending.size || (stopsEarly && stuck.length > 0) ? 'held' : null
    },
    state: () => ({
      seen,
      unfinished: [...pending.values()].map((target) => ({ target, held: held.get(target.jobKey) ?? null })),
    }),
  }
}

/** An attempt has ended since it was sent to work, or it is at work no more. */
function hasNews({ state, attempt }: Job, target: Watched): boolean {
  if (state === 'running') return attempt > target.attempt + 1
  return (state !== 'available' && state !== 'waiting') || attempt > target.attempt
}

/** Those whose type cannot start at all now: to be known before anything is changed. */
export async function cannotStart(
  store: Pick<Reader, 'types' | 'now'>,
  targets: readonly Watched[],
): Promise<readonly { target: Watched; held: Held }[]> {
  const now = store.now()
  const types = new Map((await store.types(now)).map((view) => [view.type, view]))
  return targets.flatMap((target) => {
    const held = heldBy(target.type, types.get(target.type), now)
    return held ? [{ target, held }] : []
  })
}

export function isThrough({ status }: Verdict): boolean {
  return status === 'completed' || status === 'rejected'
}

/** A breaker lets calls pass again by itself; a pause and a missing worker wait for somebody. */
function isStuck(held: Held | undefined): boolean {
  return held !== undefined && held.by !== 'breaker'
}
