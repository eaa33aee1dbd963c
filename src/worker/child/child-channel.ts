/** The fork's channel as the child sees it. */
import type { ToChild, ToSupervisor } from '../ipc.ts'

export interface ChildChannel {
  /** Resolves when it was handed over or can never be. */
  send(message: ToSupervisor): Promise<void>
  onMessage(listener: (message: ToChild) => void): void
  /** The supervisor is gone. */
  onGone(listener: () => void): void
}

/** A supervisor that is stopped reads nothing: log lines beyond these are dropped rather than kept. */
const mostWaiting = 500

export function processChannel(): ChildChannel {
  let waiting = 0
  return {
    send(message) {
      return new Promise((resolve) => {
        if (!process.connected || !process.send || (message.kind === 'log' && waiting > mostWaiting))
          return resolve()
        waiting++
        process.send(message, undefined, undefined, () => {
          waiting--
          resolve()
        })
      })
    },
    onMessage(listener) {
      process.on('message', (message: ToChild) => listener(message))
    },
    onGone(listener) {
      process.once('disconnect', listener)
    },
  }
}
