/**
 * Logging. The only file that touches log streams. Everything else takes a Logger, so that a test can read what was
 * said and a terminal gets words where a pipe gets JSON lines.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFields = Record<string, unknown>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger
}
