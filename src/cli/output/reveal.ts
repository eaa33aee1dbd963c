/** Secrets that somebody looks at: who, which jobs and with which command is on record before the first of them is shown. */
import { addTarget } from '../../engine/plans/operations.ts'
import { WfError } from '../../errors.ts'
import { namedWords } from '../../messages/operation-messages.ts'
import { asOperation } from '../../engine/operation-log.ts'
import type { Store } from '../../store/port.ts'
import { who } from '../input/actor.ts'

const batchSize = 200

/** Answers the number of the record. */
export async function recordReveal(
  store: Store,
  keys: readonly number[],
  { command, reason }: { command: string; reason: string | null },
): Promise<number> {
  const named = {
    verb: 'reveal' as const,
    who: who(),
    reason,
    selector: namedWords(keys),
    flags: { command },
    matched: keys.length,
  }
  const { operation } = await orUnrecorded(
    asOperation(store, named, async (id) => {
      for (let start = 0; start < keys.length; start += batchSize) {
        const targets = keys.slice(start, start + batchSize).map((jobKey) => ({
          operation: id,
          target: { jobKey, name: '', status: 'changed' as const, why: '', image: null },
        }))
        await store.transact(addTarget, targets, store.now())
      }
    }),
  )
  return operation.id
}

/** Where nothing can be written nothing is revealed. */
export async function orUnrecorded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof WfError && (error.code === 'store_read_only' || error.code === 'store_full')))
      throw error
    throw new WfError(
      error.code,
      `--reveal is kept on record, and the store cannot be written\n${error.message}`,
      {
        hint: 'leave --reveal out, or look as a user who may write the store',
      },
    )
  }
}
