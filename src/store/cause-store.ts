/** The port's part about causes: open incidents by fingerprint. It counts and samples; what that means is the engine's to say. */
import type { Cause } from '../domain/cause.ts'
import type { Selector } from './port.ts'

/** Variables as JSON text; long ones are left out. */
export interface CauseVariables {
  /** Of jobs of the cause. */
  members: readonly string[]
  /** Of jobs of the same type that came to rest otherwise. */
  others: readonly string[]
}

export interface CauseReader {
  /** Of the open incidents that fit: the most incidents first, at most `mostCauses`. */
  causes(selector: Selector, now: number): Promise<readonly Cause[]>
  /** A bounded sample, however many there are. */
  causeVariables(cause: Pick<Cause, 'fingerprint' | 'type' | 'sampleKeys'>): Promise<CauseVariables>
}
