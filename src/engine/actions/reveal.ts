/** Records who sees the secrets of which jobs, before any of them is shown. */
import { namedTargets, type NewTarget } from '../../domain/operation.ts'
import { writer } from '../engine.ts'
import { asOperation } from '../operation-log.ts'
import { addTarget } from '../plans/operations.ts'
import type { ActionContext } from './action.ts'

export interface RevealPlan {
  keys: readonly number[]
  /** What shows them: `jobs show`. */
  command: string
  reason: string | null
}

const batchSize = 200

/** Returns the id of the operation. */
export async function applyReveal(
  { engine, who }: ActionContext,
  { keys, command, reason }: RevealPlan,
): Promise<number> {
  const store = engine[writer]
  const selector = namedTargets(keys)
  const named = { verb: 'reveal' as const, who, reason, selector, flags: { command }, matched: keys.length }
  const { operation } = await asOperation(store, named, async (id) => {
    for (let start = 0; start < keys.length; start += batchSize) {
      const targets = keys
        .slice(start, start + batchSize)
        .map((key) => ({ operation: id, target: seen(key) }))
      await store.transact(addTarget, targets, store.now())
    }
  })
  return operation.id
}

const seen = (jobKey: number): NewTarget => ({ jobKey, name: '', status: 'changed', why: '', image: null })
