/** A job and all that belongs to it as one document that stands for itself: for a ticket, an audit, another machine. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/idempotency.ts'
import { maskValue } from '../../text/mask.ts'
import type { InspectedDetail } from '../../engine/inspector.ts'
import { iso } from '../../terminal/json.ts'
import type { Revealing } from '../../terminal/safe.ts'
import { jobPageDocument } from '../../views/job-page.ts'
import { stepDocument } from '../../views/step-view.ts'
import type { StoreInfo } from '../../store/views.ts'

/** Changes when a reader of the one before would misunderstand it. */
const format = 'wf-job/1'

export interface Export extends Revealing {
  detail: InspectedDetail
  info: StoreInfo
  now: number
}

/**
 * The document, its secrets masked unless they are to be revealed. `checksum` is the SHA-256 of the canonical JSON (members in order of their keys, no
 * blanks) of everything else in it: `jq -cjS 'del(.checksum)' | sha256sum`.
 */
export function exportDocument({ detail, info, now, reveal = false }: Export): object {
  const { next: _, ...job } = jobPageDocument(detail, '', { reveal })
  const steps = detail.steps.map((step) => stepDocument(step, detail.job, true))
  const { storeId, schemaVersion, engineVersion } = info
  const whole = {
    format,
    exportedAt: iso(now),
    store: { storeId, schemaVersion, engineVersion },
    job: { ...job, steps },
  }
  const document = asPrinted(reveal ? whole : (maskValue(whole) as object))
  return { ...document, checksum: checksumOf(document) }
}

function checksumOf(document: object): string {
  return createHash('sha256').update(canonicalJson(document)).digest('hex')
}

/** What is left of it once it has been JSON: the checksum is of what the reader gets. */
function asPrinted(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object
}
