/** `incidents list --by cause`: the causes, worst first. */
import { inspectCauses } from '../../engine/causes.ts'
import type { Reader } from '../../engine/engine.ts'
import type { Selector } from '../../domain/selector.ts'
import { causeDocument, causeLines } from '../../views/cause-view.ts'
import type { Output } from '../../terminal/output.ts'
import { Safe, say } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'

export interface CauseListing {
  selector: Selector
  limit: number | undefined
  ids: boolean
  suffix: string
}

const defaultLimit = 20

export async function printCauses(
  output: Output,
  store: Reader,
  { selector, limit = defaultLimit, ids, suffix }: CauseListing,
): Promise<void> {
  const now = store.now()
  const { items, total, incidents } = await inspectCauses(store, { selector, limit, now })
  output.document({
    items: items.map((cause) => causeDocument(cause, { selector, suffix })),
    total,
    incidents,
  })
  if (items.length === 0) return output.note(say`no open incidents in ${(await store.info()).location}`)
  if (ids) return output.print(...items.map(({ fingerprint }) => new Safe(fingerprint)))
  const { paint, width } = output
  for (const [index, cause] of items.entries())
    output.print(...(index > 0 ? [say``] : []), ...causeLines(cause, { paint, width, now, selector, suffix }))
  const more = total > items.length ? say`; there are more: --limit` : say``
  output.note(
    output.errPaint.dim(
      say`${counted(incidents, 'open incident')} of ${thousands(total)} ${total === 1 ? 'cause' : 'causes'}${more}`,
    ),
  )
}
