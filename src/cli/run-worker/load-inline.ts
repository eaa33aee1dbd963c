/** Loading where nobody watches from outside: what a module leaves behind, throws later or ends is a failure to load, told as one. */
import { within } from '../../worker/child/child.ts'
import { failureOf } from '../../worker/handler/load-failure.ts'
import { loadHandlers } from '../../worker/handler/load-handlers.ts'
import type { LoadedHandler } from '../../worker/handler/loaded-handler.ts'
import { onUnaskedExit, wordsOfExitLoading } from './unexpected-exit.ts'
import type { RunParts } from './run-options.ts'

/** Rejects with WfError `handler_load_failed`. */
export async function loadInline({
  files,
  config,
  clock,
  report,
}: RunParts): Promise<ReadonlyMap<string, LoadedHandler>> {
  const unguard = onUnaskedExit(process, (code) => report(wordsOfExitLoading(code, files)))
  let panic: (error: unknown) => void = () => {}
  const panicked = new Promise<never>((_, reject) => {
    panic = (error) => reject(failureOf(error, files.join(', ')))
  })
  process.on('uncaughtException', panic)
  process.on('unhandledRejection', panic)
  try {
    return await Promise.race([
      within(loadHandlers(files), { files, loadMs: config.loadMs }, clock),
      panicked,
    ])
  } finally {
    process.removeListener('uncaughtException', panic)
    process.removeListener('unhandledRejection', panic)
    unguard()
  }
}
