/** The log of a run on standard output: words on a terminal, JSON lines elsewhere. */
import type { Clock } from '../clock.ts'
import { escapeText, maskText } from '../domain/text.ts'
import { createLogger, LineStream, type Logger, type LogLevel } from '../logger.ts'
import { wantsColour } from './colour.ts'
import { harmlessJson } from './json.ts'
import type { Output } from './output.ts'

export interface WorkLog {
  log: Logger
  /** Resolves when it is written, or at the latest after a moment: a reader that has stopped reading holds nobody up. */
  close(): Promise<void>
}

const standardOutput = 1
const retryMs = 20
const closingMs = 300

export async function openWorkLog({ json, out }: Output, { clock, logLevel }: { clock: Clock; logLevel: LogLevel }): Promise<WorkLog> {
  const stream = new LineStream(standardOutput, (retry) => void clock.after(retryMs, retry, { unref: true }))
  const style = out.isTTY && !json ? 'words' : 'json'
  const log = await createLogger({
    style,
    level: logLevel,
    colours: wantsColour({ env: process.env, isTTY: out.isTTY, refused: false }),
    write: (line) => stream.write(style === 'json' ? harmlessJson(line) : line),
    now: clock.now,
    clean: (text) => escapeText(maskText(text)),
  })
  return { log, close: () => Promise.race([stream.flushed(), clock.sleep(closingMs)]) }
}
