/**
 * In line, nothing outlives a module or handler that ends the process, under whatever exit code: with 0 a script would take
 * it for a success. At that last moment the reason is told, and the exit code becomes one of an error.
 */
import type { Cancel } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { RunningAttempt } from '../../worker/worker.ts'
import type { ExitCode } from '../exit-codes.ts'

export interface ExitSource {
  exitCode?: number | string | null | undefined
  on(event: 'exit', listener: (code: number) => void): unknown
  removeListener(event: 'exit', listener: (code: number) => void): unknown
}

/** `tell` must not wait for anything: nothing runs after it. @returns ends it */
export function onUnaskedExit(source: ExitSource, tell: (code: number) => ExitCode): Cancel {
  const heard = (code: number) => {
    source.exitCode = tell(code)
  }
  source.on('exit', heard)
  return () => void source.removeListener('exit', heard)
}

export function wordsOfExitLoading(code: number, files: readonly string[]): WfError {
  return new WfError(
    'handler_load_failed',
    `the process ended with exit code ${code} while it loaded ${files.join(', ')}`,
    {
      hint: 'a handler module defines handlers and returns: it must not wait for ever, loop, or end the process',
    },
  )
}

const mostNamed = 10

export function wordsOfExitAmid(code: number, running: readonly RunningAttempt[]): WfError {
  const names = running.slice(0, mostNamed).map(({ type, jobKey }) => `${type} #${jobKey}`)
  const more = running.length > mostNamed ? ` and ${running.length - mostNamed} more` : ''
  const ran =
    running.length === 0
      ? 'no job was running'
      : `these were running and start elsewhere when their lease is over: ${names.join(', ')}${more}`
  return new WfError('unexpected', `a handler ended the process with exit code ${code}\n${ran}`, {
    hint: 'return or throw instead of process.exit; without --inline only a worker process would have ended, and been replaced',
  })
}
