/** Follows a store: looks when something was committed, tells what is new, and sums up what would be more lines than anybody reads. */
import type { Clock } from '../../clock.ts'
import type { Happening, HappeningKind } from '../../domain/feed-event.ts'
import type { StoreReader } from '../../store/port.ts'
import type { Completions } from './completions.ts'

export interface Tail {
  store: Pick<StoreReader, 'version' | 'marksAt' | 'newsSince'> & { now(): number }
  clock: Clock
  /** Epoch ms; null: from now on. */
  since: number | null
  kinds: readonly HappeningKind[] | undefined
  types: readonly string[] | undefined
  /** Tells of completed jobs one by one; null where nobody wants to hear of them. */
  completions: Pick<Completions, 'begin' | 'since'> | null
  /** Once, when there are too many for that: from then on they are counted. */
  onCounted(): unknown
  /** Lines a second, at most. */
  lines: number
  /** Ends it. */
  signal: AbortSignal
  /** Ends it once all that is there was told; null: it goes on. */
  forMs: number | null
  /** One line; called in the order of time. */
  tell(happening: Happening): void
  /** After each look; false: nobody reads any more. */
  flushed(): Promise<boolean>
}

/** Between two looks, at least: what others write is seen soon, and costs little. */
const restMs = 200
/** Summed up by kind alone there are never more lines than this. */
export const fewestLines = 8

export async function follow(tail: Tail): Promise<void> {
  const { store, clock, since, kinds, types, lines, signal, forMs, tell, flushed } = tail
  const wanted = ({ kind, type }: Happening) =>
    (!kinds || kinds.includes(kind)) && (!types || (type !== null && types.includes(type)))
  const now = store.now()
  let marks = await store.marksAt(since ?? now, now)
  let known: number | null = null
  const completed = await completedOf(tail)
  const budget = createBudget(clock, lines)
  const endsMs = forMs === null ? Number.POSITIVE_INFINITY : clock.monotonic() + forMs
  do {
    const version = await store.version()
    if (version !== known && budget.left() >= fewestLines) {
      known = null
      const news = await store.newsSince(marks, lines, store.now())
      marks = news.marks
      if (!news.more) known = version
      const told = summedUp((await completed(news.happenings)).filter(wanted), budget.left())
      budget.use(told.length)
      for (const happening of told) tell(happening)
      if (!(await flushed())) return
    }
    if (known !== null && clock.monotonic() >= endsMs) return
    const isBehind = known === null && budget.left() >= fewestLines
    await clock.sleep(isBehind ? 0 : restMs, signal)
  } while (!signal.aborted)
}

/** Puts completed jobs in the place of their counts. What came through before it began is known as counts only, at the first look. */
async function completedOf({
  completions,
  since,
  onCounted,
}: Tail): Promise<(happenings: readonly Happening[]) => Promise<readonly Happening[]>> {
  await completions?.begin()
  let isPast = since !== null
  let isCounted = completions === null
  return async (happenings) => {
    if (isCounted || !completions) return happenings
    const each = await completions.since()
    if (each === null) {
      isCounted = true
      onCounted()
      return happenings
    }
    const others = isPast ? happenings : happenings.filter(({ kind }) => kind !== 'completed')
    isPast = false
    return [...others, ...each].sort((a, b) => a.at - b.at)
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

/** All of them if there is room, else sums: as fine as there is room for. */
export function summedUp(happenings: readonly Happening[], room: number): readonly Happening[] {
  if (happenings.length <= room) return happenings
  const groupings: readonly ((happening: Happening) => readonly (string | null)[])[] = [
    ({ kind, type, what }) => [kind, type, what],
    ({ kind, type }) => [kind, type],
    ({ kind }) => [kind],
  ]
  let groups: readonly (readonly Happening[])[] = []
  for (const grouping of groupings) {
    groups = grouped(happenings, grouping)
    if (groups.length <= room) break
  }
  return groups.map(sumOf).sort((a, b) => a.at - b.at)
}

function grouped(
  happenings: readonly Happening[],
  nameOf: (happening: Happening) => readonly (string | null)[],
): readonly (readonly Happening[])[] {
  const groups = new Map<string, Happening[]>()
  for (const happening of happenings) {
    const name = JSON.stringify(nameOf(happening))
    const group = groups.get(name) ?? []
    group.push(happening)
    groups.set(name, group)
  }
  return [...groups.values()]
}

/** What they have in common, and how many they are. */
function sumOf(group: readonly Happening[]): Happening {
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
