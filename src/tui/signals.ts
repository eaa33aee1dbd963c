/** What comes from outside: signals that end the dashboard, and being put into the background and back. */
import type { Cancel, Clock } from '../clock.ts'
import type { Terminal } from './terminal.ts'

/** Null: a key ended it. */
export type Stop = 'SIGTERM' | 'SIGHUP' | 'SIGINT' | null

export interface SignalOptions {
  terminal: Terminal
  /** Draws the screen again, whole. */
  repaint(): void
  clock: Clock
  stop(signal: Stop): void
  /** Of an error that nobody has caught. */
  fail(error: unknown): void
}

export interface Signals {
  /** To the shell, as Ctrl-Z does anywhere else. */
  suspend(): void
  release(): void
}

/** Where nothing stops the process (no shell would wake it), the screen is taken back after this. */
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
    // Without a listener the signal does what it does to every program. The whole group, as the terminal does it: who started wf may wait for it.
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
