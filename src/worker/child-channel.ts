/** The fork's channel as the child sees it. */
import type { ToChild, ToSupervisor } from './messages.ts'

export interface ChildChannel {
  /** Resolves when it was handed over or can never be. */
  send(message: ToSupervisor): Promise<void>
  onMessage(listener: (message: ToChild) => void): void
  /** The supervisor is gone. */
  onGone(listener: () => void): void
}

export function processChannel(): ChildChannel {
  return {
    send(message) {
      return new Promise((resolve) => {
        if (!process.connected || !process.send) return resolve()
        process.send(message, undefined, undefined, () => resolve())
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
