/** The breakers that a worker shares with all others of its store. */
import type { Clock } from '../../clock.ts'
import { createBreakers } from '../../engine/breakers.ts'
import type { Logger } from '../../logger.ts'
import type { Breaker, BreakerParts } from '../../resilience/circuit-breaker.ts'
import { SharedCircuitBreaker } from '../../resilience/shared-circuit-breaker.ts'
import type { Store } from '../../store/port.ts'
import { ErrorThrottle } from '../error-throttle.ts'

export interface SharedBreakersOptions {
  store: Pick<Store, 'breakers' | 'transact' | 'watch' | 'now'>
  clock: Clock
  log: Logger
  workerId: string
}

export interface SharedBreakers {
  sharedBreaker(parts: BreakerParts): Breaker
  /** Ends the looking at the store. */
  close(): void
}

export function createSharedBreakers({ store, clock, log, workerId }: SharedBreakersOptions): SharedBreakers {
  const trouble = new ErrorThrottle(clock, log, 'sharing breakers with other workers')
  const onTrouble = (error: unknown) => trouble.happened(error)
  const breakers = createBreakers({ store, clock, who: workerId, onTrouble })
  return {
    sharedBreaker: (parts) =>
      new SharedCircuitBreaker({
        ...parts,
        shared: breakers.shared(parts.name),
        holder: workerId,
        onTrouble,
      }),
    close: () => breakers.close(),
  }
}
