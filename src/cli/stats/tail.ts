/** Follows a store: reads the feed after each commit, and sums up what would be more lines than a person can read. */
import type { Clock } from '../../clock.ts'
import type { FeedEvent, FeedEventKind } from '../../domain/feed-event.ts'
import type { StoreReader } from '../../store/port.ts'
import type { Completions } from './completions.ts'

export interface Tail {
  store: Pick<StoreReader, 'version' | 'feedPositionAt' | 'feedSince'> & { now(): number }
  clock: Clock
  /** Epoch ms; null: from now on. */
  since: number | null
  kinds: readonly FeedEventKind[] | undefined
  types: readonly string[] | undefined
  /** Finds completed jobs; null if the caller doesn't want them. */
  completions: Pick<Completions, 'begin' | 'since'> | null
  /** Called once, when there are too many unfinished jobs to find the completed ones. */
  onTooMany(): unknown
  /** Lines a second, at most. */
  lines: number
  /** Ends it. */
  signal: AbortSignal
  /** Ends it once everything committed by then is emitted; null: it goes on. */
  forMs: number | null
  /** Called for each line, in the order of time. */
  emit(event: FeedEvent): void
  /** Called after each read; resolves to false once the reader of the output is gone. */
  flushed(): Promise<boolean>
}

/** Between two reads, at least. */
const restMs = 200
/** Summed up by kind alone there are never more lines than this. */
export const fewestLines = 8

export async function follow(tail: Tail): Promise<void> {
  const { store, clock, lines, signal, forMs, flushed } = tail
  const budget = createBudget(clock, lines)
  const showNew = await createReader(tail, budget)
  let known: number | null = null
  const endsMs = forMs === null ? Number.POSITIVE_INFINITY : clock.monotonic() + forMs
  do {
    const version = await store.version()
    if (version !== known && budget.left() >= fewestLines) {
      const more = await showNew()
      known = more ? null : version
      if (!(await flushed())) return
    }
    if (known !== null && clock.monotonic() >= endsMs) return
    const isBehind = known === null && budget.left() >= fewestLines
    await clock.sleep(isBehind ? 0 : restMs, signal)
  } while (!signal.aborted)
}

type Budget = ReturnType<typeof createBudget>

/** Each call of what it returns emits the next events; true: there are more. */
async function createReader(tail: Tail, budget: Budget): Promise<() => Promise<boolean>> {
  const { store, since, lines, emit } = tail
  let position = await store.feedPositionAt(since ?? store.now())
  const completed = await completedJobs(tail)
  return async () => {
    const feed = await store.feedSince(position, lines, store.now())
    position = feed.position
    const events = [...feed.events, ...(await completed())].filter((event) => isWanted(tail, event))
    const shown = summedUp(
      events.sort((a, b) => a.at - b.at),
      budget.left(),
    )
    budget.use(shown.length)
    for (const event of shown) emit(event)
    return feed.more
  }
}

function isWanted({ kinds, types }: Tail, { kind, type }: FeedEvent): boolean {
  return (!kinds || kinds.includes(kind)) && (!types || (type !== null && types.includes(type)))
}

/** Workers write no row for a completed job, so it isn't in the feed. */
async function completedJobs({ completions, onTooMany }: Tail): Promise<() => Promise<readonly FeedEvent[]>> {
  await completions?.begin()
  let isOver = completions === null
  return async () => {
    const jobs = isOver ? [] : await completions?.since()
    if (jobs) return jobs
    isOver = true
    onTooMany()
    return []
  }
}

function createBudget(clock: Clock, lines: number) {
  let second = clock.monotonic()
  let used = 0
  return {
    left() {
      if (clock.monotonic() - second >= 1_000) {
        second = clock.monotonic()
        used = 0
      }
      return lines - used
    },
    use(count: number) {
      used += count
    },
  }
}

/** Returns all events if there is room for them, else sums as fine as there is room for. */
export function summedUp(events: readonly FeedEvent[], room: number): readonly FeedEvent[] {
  if (events.length <= room) return events
  const groupings: readonly ((event: FeedEvent) => readonly (string | null)[])[] = [
    ({ kind, type, what }) => [kind, type, what],
    ({ kind, type }) => [kind, type],
    ({ kind }) => [kind],
  ]
  let groups: readonly (readonly FeedEvent[])[] = []
  for (const grouping of groupings) {
    groups = grouped(events, grouping)
    if (groups.length <= room) break
  }
  return groups.map(sumOf).sort((a, b) => a.at - b.at)
}

function grouped(
  events: readonly FeedEvent[],
  nameOf: (event: FeedEvent) => readonly (string | null)[],
): readonly (readonly FeedEvent[])[] {
  const groups = new Map<string, FeedEvent[]>()
  for (const event of events) {
    const name = JSON.stringify(nameOf(event))
    const group = groups.get(name) ?? []
    group.push(event)
    groups.set(name, group)
  }
  return [...groups.values()]
}

/** One event for a group: what they have in common, and their number. */
function sumOf(group: readonly FeedEvent[]): FeedEvent {
  const [first] = group
  if (first === undefined) throw new Error('a group has members')
  if (group.length === 1) return first
  const same = <K extends 'type' | 'what'>(field: K) =>
    group.every((each) => each[field] === first[field]) ? first[field] : null
  const count = group.reduce((sum, each) => sum + each.count, 0)
  const at = Math.max(...group.map((each) => each.at))
  return {
    at,
    kind: first.kind,
    type: same('type'),
    jobKey: null,
    count,
    what: same('what'),
    detail: null,
    who: null,
  }
}
