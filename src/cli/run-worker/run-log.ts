/** The log of a run on standard output: text on a terminal, JSON lines elsewhere. */
import type { Clock } from '../../clock.ts'
import { logCleaner } from '../../text/sanitize.ts'
import { createLogger, openDestination, type Logger, type LogLevel } from '../../logger.ts'
import type { Output } from '../../terminal/output.ts'

export interface WorkLog {
  log: Logger
  /** Resolves when the log is written, and after 300 ms at the latest, also when its reader has stopped reading. */
  close(): Promise<void>
}

const standardOutput = 1
const closingMs = 300

export async function openWorkLog(
  { json, out, colours }: Output,
  { clock, logLevel }: { clock: Clock; logLevel: LogLevel },
): Promise<WorkLog> {
  let isOpen = true
  const destination = await openDestination(standardOutput, () => isOpen)
  const log = await createLogger({
    style: out.isTTY && !json ? 'words' : 'json',
    level: logLevel,
    colours,
    write: destination.write,
    now: clock.now,
    clean: logCleaner,
  })
  return {
    log,
    async close() {
      await Promise.race([destination.end(), clock.sleep(closingMs)])
      isOpen = false
    },
  }
}
