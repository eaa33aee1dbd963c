/** What signals mean to a run: SIGTERM, SIGHUP and the first Ctrl-C let what runs finish, another Ctrl-C stops at once. */
import type { Cancel, Clock } from '../clock.ts'

/** npm and npx hand on the Ctrl-C that the terminal has sent to the whole group already: one key press, two signals. */
const samePressMs = 200

/** SIGHUP: the terminal is gone. */
type Heard = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface SignalSource {
  on(signal: Heard, listener: () => void): unknown
  removeListener(signal: Heard, listener: () => void): unknown
}

export interface SignalMeaning {
  /** May be called again and again. */
  drain(): void
  stopNow(): void
}

/** @returns ends it */
export function onSignals(source: SignalSource, clock: Clock, run: SignalMeaning): Cancel {
  let draining = false
  let pressedAt = Number.NEGATIVE_INFINITY
  const terminate = () => {
    draining = true
    run.drain()
  }
  const interrupt = () => {
    const now = clock.monotonic()
    const isSamePress = now - pressedAt < samePressMs
    pressedAt = now
    if (isSamePress) return
    if (draining) run.stopNow()
    else terminate()
  }
  source.on('SIGTERM', terminate)
  source.on('SIGHUP', terminate)
  source.on('SIGINT', interrupt)
  return () => {
    source.removeListener('SIGTERM', terminate)
    source.removeListener('SIGHUP', terminate)
    source.removeListener('SIGINT', interrupt)
  }
}
