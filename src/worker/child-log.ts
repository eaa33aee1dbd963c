/** A child's log: every line goes to the supervisor, which owns the stream. What a handler hands over may be anything; it must neither break the channel nor fill it. */
import { preview } from '../domain/preview.ts'
import { loggerOf, type LogFields, type Logger, type LogLevel } from '../logger.ts'
import type { ChildChannel } from './child-channel.ts'

const longestText = 16 * 1024

export function channelLog(channel: ChildChannel, level: LogLevel): Logger {
  return loggerOf((at, message, { fields, bound }) => {
    const text = typeof message === 'string' ? message : preview(message)
    const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text
    void channel.send({ kind: 'log', level: at, message: cut, fields: sendable(fields), bound })
  }, level)
}

/** As it would be in JSON; what JSON cannot say is said in other words. */
function sendable(fields: LogFields): LogFields {
  try {
    const text = JSON.stringify(fields, plain)
    return text.length > longestText ? { cut: text.slice(0, longestText) } : (JSON.parse(text) as LogFields)
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : 'fields' }
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return preview(value)
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value
}
