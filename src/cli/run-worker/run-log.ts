/** The log of a run on standard output: words on a terminal, JSON lines elsewhere. */
import type { Clock } from '../../clock.ts'
import { logCleaner } from '../../text/sanitize.ts'
import { createLogger, LineStream, type Logger, type LogLevel } from '../../logger.ts'
import type { Output } from '../../terminal/output.ts'

export interface WorkLog {
  log: Logger
  /** Resolves when it is written, or at the latest after a moment: a reader that has stopped reading holds nobody up. */
  close(): Promise<void>
}

const standardOutput = 1
const retryMs = 20
const closingMs = 300

export async function openWorkLog(
  { json, out, colours }: Output,
  { clock, logLevel }: { clock: Clock; logLevel: LogLevel },
): Promise<WorkLog> {
  const stream = new LineStream(standardOutput, (retry) => void clock.after(retryMs, retry, { unref: true }))
  const log = await createLogger({
    style: out.isTTY && !json ? 'words' : 'json',
    level: logLevel,
    colours,
    write: (line) => stream.write(line),
    now: clock.now,
    clean: logCleaner,
  })
  return { log, close: () => Promise.race([stream.flushed(), clock.sleep(closingMs)]) }
}
