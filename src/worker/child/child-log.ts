/** A child's log: every line goes to the supervisor, which owns the stream and masks what it writes. What a handler hands over must neither break the channel nor fill it. */
import { boundedFields, boundedMessage } from '../../text/sanitize.ts'
import { loggerOf, type Logger, type LogLevel } from '../../logger.ts'
import type { ChildChannel } from './child-channel.ts'

export function channelLog(channel: ChildChannel, level: LogLevel): Logger {
  return loggerOf((at, message, { fields, bound }) => {
    void channel.send({
      kind: 'log',
      level: at,
      message: boundedMessage(message),
      fields: boundedFields(fields),
      bound,
    })
  }, level)
}
