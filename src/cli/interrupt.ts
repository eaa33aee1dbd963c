/** Ctrl-C in the middle of a long change: what is under way is finished and counted, the rest is left. */

export interface Interrupt {
  readonly signal: AbortSignal
  /** Stops listening; a further Ctrl-C ends the process as usual. */
  release(): void
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController()
  const abort = () => {
    controller.abort()
    release()
  }
  const release = () => {
    process.off('SIGINT', abort)
    process.off('SIGTERM', abort)
  }
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  return { signal: controller.signal, release }
}
