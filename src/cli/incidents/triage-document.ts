/** `wf triage --json`: the causes, worst first, each with everything that the terminal would show of it. */
import type { Selector } from '../../domain/selector.ts'
import { inspectCauses, type InspectedCause } from '../../engine/causes.ts'
import { createInspector } from '../../engine/inspector.ts'
import type { Reader } from '../../engine/engine.ts'
import { causeDocument } from '../../views/cause-view.ts'
import { incidentOf, incidentPageDocument } from '../../views/incident-page.ts'

export async function triageDocument(
  store: Reader,
  { selector, limit, suffix }: { selector: Selector; limit: number; suffix: string },
) {
  const inspector = createInspector(store, () => store.now())
  const { items, total, incidents } = await inspectCauses(store, { selector, limit, now: store.now() })
  const documentOf = async (cause: InspectedCause) => {
    const detail = await inspector.job(cause.sampleKeys[0] ?? 0)
    const incident = detail && incidentOf(detail)
    const member = detail && incident ? incidentPageDocument({ incident, detail }, suffix) : null
    return { ...causeDocument(cause, { selector, suffix }), member }
  }
  return { items: await Promise.all(items.map(documentOf)), total, incidents }
}
