import { loggerOf, type LogFields, type Logger, type LogLevel } from '../../src/logger.ts'

export interface LogLine {
  level: LogLevel
  message: string
  fields: LogFields
}

/** A logger that keeps what was said. */
export function capturedLog(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  return Object.assign(
    loggerOf((level, message, { fields, bound }) =>
      lines.push({ level, message, fields: { ...bound, ...fields } }),
    ),
    { lines },
  )
}
