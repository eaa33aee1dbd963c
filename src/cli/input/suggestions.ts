/** What was probably meant where a name or a key is not in the store: looked up only then. */
import { didYouMean, nearWords } from '../../text/suggest.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

/** What names can be looked up in; `now` says who lives, which is of no interest here. */
export interface Names {
  types?(now: number): Promise<readonly { type: string }[]>
  workers?(now: number): Promise<readonly { id: string; label: string }[]>
  causes?(selector: Selector, now: number): Promise<readonly { fingerprint: string; code: string | null }[]>
  deadLetters?(selector: Selector, page: Page): Promise<Paged<{ errorCode: string | null }>>
}

const letters = 200

/** For what a selector names and the store has nothing of; null where there is nothing like it. */
export async function nearSelector(
  from: Names,
  { types, workerId, fingerprints, codes }: Selector,
): Promise<string | null> {
  const near = [
    ...(types ? nearWords(types, await typesOf(from)) : []),
    ...(workerId === undefined ? [] : nearWords([workerId], await workersOf(from))),
    ...(fingerprints
      ? nearWords(
          fingerprints,
          (await causesOf(from)).map(({ fingerprint }) => fingerprint),
        )
      : []),
    ...(codes ? nearWords(codes, await codesOf(from)) : []),
  ]
  return near.length === 0 ? null : didYouMean(near)
}

const typesOf = async (from: Names) => ((await from.types?.(0)) ?? []).map(({ type }) => type)
const workersOf = async (from: Names) =>
  ((await from.workers?.(0)) ?? []).flatMap(({ id, label }) => [id, label])
const causesOf = async (from: Names) => (await from.causes?.({}, 0)) ?? []

/** Of what stands still, and of the newest dead letters. */
async function codesOf(from: Names): Promise<readonly string[]> {
  const newest = (await from.deadLetters?.({}, { limit: letters }))?.items ?? []
  return [
    ...(await causesOf(from)).map(({ code }) => code),
    ...newest.map(({ errorCode }) => errorCode),
  ].flatMap((code) => code ?? [])
}

export interface Jobs {
  jobs(selector: Selector, page: Page): Promise<Paged<{ key: number }>>
}

/** Where the keys of the store lie, and the one that a slip of the finger away from `key` is there. */
export async function nearKeys(from: Jobs, key: number): Promise<string> {
  const [newest, oldest] = [await endOf(from, 'newest'), await endOf(from, 'oldest')]
  if (newest === null || oldest === null) return 'it has no jobs'
  if (key < oldest) return `the oldest job that is kept is ${oldest}: finished jobs are pruned after a while`
  if (key < newest) return 'finished jobs are pruned after a while; wf jobs list shows what there is'
  return didYouMean(
    await nearNumber(key, async (keys) =>
      (await from.jobs({ keys }, { limit: 2 })).items.map((job) => job.key),
    ),
    `The newest job is ${newest}`,
  )
}

async function endOf(from: Jobs, sort: 'newest' | 'oldest'): Promise<number | null> {
  const { items } = await from.jobs({}, { limit: 1, sort })
  return items[0]?.key ?? null
}

/** The only one that is there of all that are a slip away; none where several are. @param there answers those of the numbers that are there */
export async function nearNumber(
  asked: number,
  there: (numbers: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const found = await there(slipsOf(asked))
  return found.length === 1 ? found : []
}

/** A digit too many, or two that changed places. */
function slipsOf(key: number): readonly number[] {
  const digits = [...String(key)]
  const without = digits.map((_, index) => digits.toSpliced(index, 1))
  const swapped = digits
    .slice(1)
    .map((digit, index) => digits.toSpliced(index, 2, digit, digits[index] ?? ''))
  const slips = [...without, ...swapped].map((each) => Number(each.join('')))
  return [...new Set(slips)].filter((slip) => Number.isSafeInteger(slip) && slip > 0 && slip !== key)
}
