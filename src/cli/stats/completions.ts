/**
 * Which jobs have completed since the last look, one by one. Workers write no row for that, so it is found by comparing: the jobs
 * that can still complete are known by their keys, and their rows tell when they did. It reads only; where there are too many for
 * that, nobody is told one by one.
 */
import { formatDuration } from '../../text/duration.ts'
import type { FeedEvent } from '../../domain/feed-event.ts'
import type { Job, JobState } from '../../domain/job.ts'
import type { StoreReader } from '../../store/port.ts'
import { everyItem, pagesOf } from '../../store/page.ts'

/** Jobs that are known at once: their rows are read at each look. */
export const mostKnown = 2_000
/** Jobs that may come between two looks. */
const mostNew = 1_000
/** Those that come to rest without a person's help, and those that somebody may send to work again. */
const unfinished: readonly JobState[] = ['available', 'waiting', 'running', 'failed', 'dead']

export class Completions {
  readonly #store: Pick<StoreReader, 'jobs'>
  readonly #types: ReadonlySet<string> | null
  /** Null: there are too many. */
  #known: Set<number> | null = new Set()
  #newest = 0

  /** @param types null: all */
  constructor(store: Pick<StoreReader, 'jobs'>, types: readonly string[] | undefined) {
    this.#store = store
    this.#types = types ? new Set(types) : null
  }

  /** Before the first look: what has completed by now is not told. */
  async begin(): Promise<void> {
    const [newest] = (await this.#store.jobs({}, { limit: 1 })).items
    this.#newest = newest?.key ?? 0
    const selector = { states: unfinished, ...(this.#types ? { types: [...this.#types] } : {}) }
    for (const { key } of await everyItem((page) => this.#store.jobs(selector, page), {
      limit: mostKnown + 1,
    }))
      this.#known?.add(key)
    this.#keepFew()
  }

  /** In the order of their ends; null when there are too many to be known, from then on. */
  async since(): Promise<readonly FeedEvent[] | null> {
    if (!this.#known) return null
    const come = await this.#come()
    if (!come) return this.#giveUp()
    for (const { key } of come) this.#known.add(key)
    const ended: Job[] = []
    const keys = [...this.#known]
    const there = new Set<number>()
    for await (const { items } of pagesOf((page) => this.#store.jobs({ keys }, page))) {
      for (const job of items) {
        if (unfinished.includes(job.state)) there.add(job.key)
        else if (job.state === 'completed') ended.push(job)
      }
    }
    this.#known = there
    this.#keepFew()
    return ended.map(completionOf).sort((a, b) => a.at - b.at)
  }

  /** Those of its types with a key that was not there at the last look; null: too many. */
  async #come(): Promise<readonly Job[] | null> {
    const before = this.#newest
    const { items } = await this.#store.jobs({}, { limit: mostNew })
    const come = items.filter(({ key }) => key > before)
    this.#newest = Math.max(before, come[0]?.key ?? 0)
    return come.length === mostNew ? null : come.filter(({ type }) => this.#types?.has(type) ?? true)
  }

  #keepFew(): void {
    if ((this.#known?.size ?? 0) > mostKnown) this.#giveUp()
  }

  #giveUp(): null {
    this.#known = null
    return null
  }
}

function completionOf({ key, type, attempt, startedAt, finishedAt }: Job): FeedEvent {
  const took =
    startedAt === null || finishedAt === null
      ? ''
      : ` after ${formatDuration(Math.max(0, finishedAt - startedAt))}`
  return {
    at: finishedAt ?? 0,
    kind: 'completed',
    type,
    jobKey: key,
    count: 1,
    what: null,
    detail: `attempt ${attempt}${took}`,
    who: null,
  }
}
