/** Dead letters deleted in small transactions, as one operation. */
import type { Operation } from '../domain/operation.ts'
import { inBatches, type Bulk } from './bulk.ts'
import { asOperation } from './operation-log.ts'
import { purgeLetter } from './plans/purge.ts'
import type { Store } from '../store/port.ts'

export interface PurgeMany
  extends Pick<Bulk, 'clock' | 'keys' | 'selector' | 'perSecond' | 'signal' | 'onBegin' | 'onBatch'> {
  store: Store
  /** Open ones too: their jobs are cancelled for good first. */
  open: boolean
  who: string
  reason: string | null
}

/** As `changeMany` ends. */
export async function purgeMany(purge: PurgeMany): Promise<Operation> {
  const { store, keys, selector, open, who, reason, perSecond } = purge
  const flags = { ...(open ? { open } : {}), ...(perSecond === undefined ? {} : { perSecond }) }
  const { operation } = await asOperation(
    store,
    { verb: 'purge', who, reason, selector, flags, matched: keys.length },
    async (id) => {
      purge.onBegin?.(id)
      await inBatches(purge, (batch) =>
        store.transact(
          purgeLetter,
          batch.map((jobKey) => ({ jobKey, open, who, reason, operation: id })),
          store.now(),
        ),
      )
    },
  )
  return operation
}
