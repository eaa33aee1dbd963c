/** What was probably meant where a name or a key is not there: looked up only then. */
import { nearestWord } from '../../domain/nearest-word.ts'
import type { Page, Paged, Selector } from '../../store/store.ts'
import { joined, say, type Safe } from '../output/safe.ts'

export interface Types {
  /** `now` says who lives, which is of no interest here. */
  types?(now: number): Promise<readonly { type: string }[]>
}

/** `did you mean charge-payment?` for types of which the store has nothing; null where there is nothing like them. */
export async function nearTypes(from: Types, asked: readonly string[] | undefined): Promise<Safe | null> {
  if (asked === undefined || asked.length === 0 || !from.types) return null
  const known = (await from.types(0)).map(({ type }) => type)
  const near = asked.filter((type) => !known.includes(type)).flatMap((type) => nearestWord(type, known) ?? [])
  return near.length === 0 ? null : say`did you mean ${joined([...new Set(near)], ' and ')}?`
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
  const { items } = await from.jobs({ keys: slipsOf(key) }, { limit: 2 })
  const meant = items.length === 1 && items[0] ? `did you mean ${items[0].key}? ` : ''
  return `${meant}The newest job is ${newest}`
}

async function endOf(from: Jobs, sort: 'newest' | 'oldest'): Promise<number | null> {
  const { items } = await from.jobs({}, { limit: 1, sort })
  return items[0]?.key ?? null
}

/** A digit too many, or two that changed places. */
function slipsOf(key: number): readonly number[] {
  const digits = [...String(key)]
  const without = digits.map((_, index) => digits.toSpliced(index, 1))
  const swapped = digits.slice(1).map((digit, index) => digits.toSpliced(index, 2, digit, digits[index] ?? ''))
  const slips = [...without, ...swapped].map((each) => Number(each.join('')))
  return [...new Set(slips)].filter((slip) => Number.isSafeInteger(slip) && slip > 0 && slip !== key)
}
