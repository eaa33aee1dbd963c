/** Logging: text for a terminal, JSON lines (pino) for everything else. All other files take a Logger. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export type LogFields = Record<string, unknown>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Returns a logger that adds `fields` to every line. */
  child(fields: LogFields): Logger
}

/** Takes each line at or above the logger's level. `bound`: the fields of the logger itself; `fields`: those of the line. */
export type LogWriter = (
  level: LogLevel,
  message: string,
  given: { fields: LogFields; bound: LogFields },
) => void

const none: LogFields = Object.freeze({})

export interface LoggerOptions {
  /** `words`: text for a terminal; `json`: one JSON object per line. */
  style: 'words' | 'json'
  /** Lines below it are dropped. */
  level: LogLevel
  colours: boolean
  write(line: string): void
  /** Epoch ms. */
  now(): number
  clean: LogCleaner
}

/** Cleans what came from elsewhere; called only for lines that are written. */
export interface LogCleaner {
  /** Masks secrets and limits the length of any value that a handler logs. */
  message(message: unknown): string
  /** The same for fields; returns plain JSON data. */
  fields(fields: unknown): LogFields
  /** Escapes control characters. */
  forTerminal(text: string): string
  /** Escapes control characters as JSON does. */
  forJson(line: string): string
}

export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const writer = options.style === 'json' ? await jsonWriter(options) : await wordsWriter(options)
  return loggerOf(writer, options.level)
}

/** Returns a logger in front of any writer, such as one of a test or of a child process. */
export function loggerOf(writer: LogWriter, level: LogLevel = 'debug', bound: LogFields = none): Logger {
  const least = logLevels.indexOf(level)
  const at =
    (of: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (logLevels.indexOf(of) >= least) writer(of, message, { fields: fields ?? none, bound })
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerOf(writer, level, { ...bound, ...fields }),
  }
}

async function jsonWriter({ level, write, now, clean }: LoggerOptions): Promise<LogWriter> {
  const { pino } = await import('pino')
  const timestamp = () => `,"time":"${new Date(now()).toISOString()}"`
  const formatters = { level: (label: string) => ({ level: label }) }
  const hooks = { streamWrite: clean.forJson }
  const lines = pino({ level, base: null, timestamp, formatters, hooks }, { write })
  return (at, message, { fields, bound }) =>
    lines[at]({ ...clean.fields(bound), ...clean.fields(fields) }, clean.message(message))
}

/** Shows fields only for what a handler logs: wf's own messages are complete without them. */
async function wordsWriter({ colours, write, now, clean }: LoggerOptions): Promise<LogWriter> {
  const { Chalk } = await import('chalk')
  const paint = new Chalk({ level: colours ? 1 : 0 })
  const labels: Record<LogLevel, string> = {
    debug: paint.dim('debug: '),
    info: '',
    warn: paint.yellow('warning: '),
    error: paint.red('error: '),
  }
  const shown = (message: unknown) => clean.forTerminal(clean.message(message))
  return (level, message, { fields, bound }) => {
    const time = new Date(now())
    const clock = [time.getHours(), time.getMinutes(), time.getSeconds()]
      .map((part) => String(part).padStart(2, '0'))
      .join(':')
    const isOfHandler = bound['job'] !== undefined
    const job = isOfHandler
      ? paint.dim(`${shown(`${String(bound['type'])} #${String(bound['job'])}`)}: `)
      : ''
    const shownFields = isOfHandler ? clean.forTerminal(fieldText(clean.fields(fields))) : ''
    const text = shown(message)
    const label = /^\w/.test(text) ? labels[level] : ''
    write(
      `${paint.dim(clock)} ${label}${job}${text}${shownFields === '' ? '' : ` ${paint.dim(shownFields)}`}\n`,
    )
  }
}

/** Returns `orderId=o-1 amount=30`. */
function fieldText(fields: LogFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

/** Lines beyond it are dropped: a reader that stopped reading must neither stop the worker nor fill its memory. */
const maxBufferedBytes = 1024 * 1024

export interface LogDestination {
  write(line: string): void
  /** Resolves when everything was written, or can't be. Lines that come later are dropped. */
  end(): Promise<void>
}

/**
 * Returns a destination that writes lines to a file descriptor and never blocks: on a full pipe or a stopped terminal a
 * synchronous write would hold up the renewal of leases. What can't be written, since the reader is gone, is dropped.
 * @param isPatient whether a descriptor that takes nothing just now is tried again
 */
export async function openDestination(fd: number, isPatient: () => boolean): Promise<LogDestination> {
  const { SonicBoom } = (await import('sonic-boom')).default
  const lines = new SonicBoom({ fd, sync: false, maxLength: maxBufferedBytes, retryEAGAIN: isPatient })
  lines.on('error', () => undefined)
  let isEnding = false
  return {
    write(line) {
      if (!isEnding) lines.write(line)
    },
    end() {
      isEnding = true
      return new Promise((resolve) => {
        lines.once('close', resolve)
        lines.once('error', () => resolve())
        lines.end()
      })
    },
  }
}
