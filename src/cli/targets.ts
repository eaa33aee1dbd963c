/** Which jobs a verb is about: counted and fixed before anything changes, and agreed to where the words were wide. */
import { WfError } from '../domain/errors.ts'
import type { Page, Paged } from '../store/store.ts'
import { canAsk, confirm } from './confirm.ts'
import type { Output } from './output.ts'
import { joined, say } from './safe.ts'
import { counted } from './time.ts'

const pageSize = 1_000

/** Every item that a selector means, now. */
export async function frozen<T>(fetch: (page: Page) => Promise<Paged<T>>): Promise<readonly T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: Paged<T> = await fetch(cursor === null ? { limit: pageSize } : { limit: pageSize, cursor })
    for (const item of page.items) items.push(item)
    cursor = page.next
  } while (cursor !== null)
  return items
}

export interface Approval {
  keys: readonly number[]
  /** `cancelled for good`. */
  done: string
  yes: boolean
  /** Runs where nobody can be asked; otherwise that needs `--yes`. */
  unasked: boolean
}

/** Throws WfError `refused` when nobody agrees. */
export async function approve(output: Output, { keys, done, yes, unasked }: Approval): Promise<void> {
  if (yes || keys.length === 0) return
  const sample = joined([...keys.slice(0, 5), ...(keys.length > 5 ? ['…'] : [])], ', ')
  const what = say`${counted(keys.length, 'job')} (${sample}) would be ${done}.`
  if (!canAsk(output)) {
    if (unasked) return
    throw new WfError('refused', `${what.text.slice(0, -1)}: nobody is here to agree`, { hint: 'add --yes, or --dry-run to look first' })
  }
  if (!(await confirm(say`${what} Go on?`))) throw new WfError('refused', 'nothing was changed')
}

/** Verbs that change jobs never mean all of them by saying nothing. */
export function needsTarget(verb: string): WfError {
  return new WfError('usage', `which jobs? wf ${verb} takes keys or a selector`, { hint: `wf ${verb} KEY…, or --help for the selectors` })
}
