import { defaultBackoff } from '../domain/backoff.ts'
import { defaultRetries } from '../domain/job.ts'
import type { Policy } from '../domain/outcome.ts'

/** Judges attempts of types whose handler is not at hand. Enough for losses: they spend no retry and have their own waits. */
export const fallbackPolicy: Policy = {
  retries: defaultRetries,
  backoff: defaultBackoff,
  onExhausted: 'incident',
}
