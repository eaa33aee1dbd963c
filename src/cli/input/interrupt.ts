/** Ctrl-C or SIGTERM in the middle of a long change: what is under way is finished and counted, the rest is left. */
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'

export interface Interrupt {
  readonly signal: AbortSignal
  /** What the process then ends with; null as long as nobody stopped it. */
  readonly exitCode: ExitCode | null
  /** Stops listening; from the first signal on a further one ends the process as usual. */
  release(): void
}

/** @param output where it is said at once that it was heard: what is under way may take a while, waiting for a lock */
export function onInterrupt(output?: Output): Interrupt {
  const controller = new AbortController()
  let exitCode: ExitCode | null = null
  const stopWith = (code: ExitCode) => () => {
    exitCode = code
    release()
    // What is drawn of progress, and the ^C of the terminal, stand on a line of their own.
    if (output?.err.isTTY) output.note(say``)
    output?.note(say`stopping after the current batch; press again to stop at once`)
    controller.abort()
  }
  const interrupted = stopWith(exitCodes.interrupted)
  const terminated = stopWith(exitCodes.terminated)
  const release = () => {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', terminated)
  }
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', terminated)
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    release,
  }
}
