/** The log that a handler writes to: every line names its job, and what the handler wants to be read stands under `told`. */
import type { LogFields, Logger, LogLevel } from '../logger.ts'
import { jobName } from './job-words.ts'

const longestMessage = 10_000

export function handlerLog(log: Logger, { key, type, attempt }: { key: number; type: string; attempt: number }): Logger {
  return told(log.child({ job: key, type, attempt }), jobName({ key, type }), {})
}

function told(log: Logger, name: string, bound: LogFields): Logger {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    const all = { ...bound, ...fields }
    const words = `${name} ${String(message).slice(0, longestMessage)}`
    if (Object.keys(all).length > 0) log[level](words, { told: all })
    else log[level](words)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: (fields) => told(log, name, { ...bound, ...fields }) }
}
