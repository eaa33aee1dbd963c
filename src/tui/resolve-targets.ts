/** Fixes what a change is about before anybody agrees to it: what comes later is not taken. */
import { guardedAmong } from '../cli/changes/resolvable.ts'
import { counted, relative, thousands } from '../terminal/time.ts'
import { isGuarded } from '../domain/incident.ts'
import { commandOf } from '../messages/operation-messages.ts'
import { operationToUndo } from '../engine/undo.ts'
import type { StoreReader } from '../store/port.ts'
import type { JobsPlan, Plan } from './action.ts'
import type { Target } from './state.ts'
import { everyItem, type Page, type Paged } from '../store/page.ts'

export interface Frozen {
  targets: readonly Target[]
  guarded: readonly Target[]
}

/** Throws WfErrors `not_found` and `conflict` where there is nothing to undo. */
export async function freeze(reader: StoreReader, plan: Plan, now: number): Promise<Frozen> {
  switch (plan.of) {
    case 'jobs': {
      const all = await everyItem(pagesOf(reader, plan), { limit: mostTargets + 1 })
      if (all.length > mostTargets) throw new Error(tooMany)
      const passed = await passedBy(reader, plan, all)
      return {
        targets: all.filter(({ key }) => !passed.has(key)),
        guarded: all.filter(({ key }) => passed.has(key)),
      }
    }
    case 'operation': {
      const { id, verb, changed, selector, who, at } = await operationToUndo(reader, null, now)
      const what = `operation ${id}: wf ${commandOf(verb)} ${selector}, ${counted(changed, 'target')} changed by ${who} ${relative(at, now)}`
      return { targets: [{ key: id, type: what, kind: verb }], guarded: [] }
    }
    default:
      return { targets: [], guarded: [] }
  }
}

/** What running again as it is would repeat, and nobody has named. */
async function passedBy(
  reader: StoreReader,
  { verb, list, selector }: JobsPlan,
  all: readonly Target[],
): Promise<ReadonlySet<number>> {
  if (verb === 'resolve') return keysOf(all.filter(({ kind }) => isGuarded(kind, selector)))
  return verb === 'retry' && list === 'jobs' ? keysOf(await guardedAmong(reader, all, selector)) : new Set()
}

const keysOf = (targets: readonly Target[]): ReadonlySet<number> => new Set(targets.map(({ key }) => key))

/** Each is known by its key until it is done. */
export const mostTargets = 100_000
const tooMany = `more than ${thousands(mostTargets)} jobs are meant: / narrows the list, and the command line takes any number`

export function pagesOf(
  reader: StoreReader,
  { list, selector }: Pick<JobsPlan, 'list' | 'selector'>,
): (page: Page) => Promise<Paged<Target>> {
  switch (list) {
    case 'incidents':
      return async (page) =>
        mapped(await reader.incidents(selector, page), ({ jobKey, type, kind }) => ({
          key: jobKey,
          type,
          kind,
        }))
    case 'dlq':
      return async (page) =>
        mapped(await reader.deadLetters(selector, page), ({ jobKey, type, reason }) => ({
          key: jobKey,
          type,
          kind: reason,
        }))
    default:
      return async (page) =>
        mapped(await reader.jobs(selector, page), ({ key, type, state }) => ({ key, type, kind: state }))
  }
}

function mapped<T>({ items, next }: Paged<T>, target: (item: T) => Target): Paged<Target> {
  return { items: items.map(target), next }
}
