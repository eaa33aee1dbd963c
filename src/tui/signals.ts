/** Signals that end the dashboard, suspend it and resume it. */
import type { Cancel, Clock } from '../clock.ts'
import type { Terminal } from './terminal.ts'

/** Null if a key ended it. */
export type Stop = 'SIGTERM' | 'SIGHUP' | 'SIGINT' | null

export interface SignalOptions {
  terminal: Terminal
  /** Draws the screen again, whole. */
  repaint(): void
  clock: Clock
  stop(signal: Stop): void
  /** Receives uncaught errors. */
  fail(error: unknown): void
}

export interface Signals {
  /** Suspends the process group, as Ctrl-Z does. */
  suspend(): void
  release(): void
}

/** If nothing stopped the process by then (no job control), it takes the screen back. */
const notStoppedMs = 300

export function listenForSignals({ terminal, repaint, clock, stop, fail }: SignalOptions): Signals {
  let waiting: Cancel | null = null
  let isAway = false
  const back = () => {
    waiting?.()
    waiting = null
    if (!isAway) return
    isAway = false
    process.on('SIGTSTP', suspend)
    terminal.enter()
    repaint()
  }
  const suspend = () => {
    if (isAway) return
    isAway = true
    terminal.leave()
    // Without a listener the signal stops the process. It goes to the whole group, as from a terminal: a parent may wait for wf.
    process.off('SIGTSTP', suspend)
    waiting = clock.after(notStoppedMs, back)
    process.kill(0, 'SIGTSTP')
  }
  const signals = (['SIGTERM', 'SIGHUP', 'SIGINT'] as const).map((signal) => ({
    signal,
    listener: () => stop(signal),
  }))
  for (const { signal, listener } of signals) process.on(signal, listener)
  const leave = () => terminal.leave()
  const listeners = [
    ['SIGCONT', back],
    ['SIGTSTP', suspend],
    ['uncaughtException', fail],
    ['unhandledRejection', fail],
    ['exit', leave],
  ] as const
  for (const [event, listener] of listeners) process.on(event, listener)
  return {
    suspend,
    release() {
      waiting?.()
      for (const { signal, listener } of signals) process.off(signal, listener)
      for (const [event, listener] of listeners) process.off(event, listener)
    },
  }
}
