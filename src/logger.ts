/**
 * Logging. The only file that touches log streams. Everything else takes a Logger, so that a test can read what was
 * said and a terminal gets words where a pipe gets JSON lines.
 */
import { write as writeFd } from 'node:fs'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export type LogFields = Record<string, unknown>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger
}

/** Takes every line at or above the logger's level. `bound` are the fields of the logger itself, `fields` those of the line. */
export type LogWriter = (
  level: LogLevel,
  message: string,
  given: { fields: LogFields; bound: LogFields },
) => void

const none: LogFields = Object.freeze({})

export interface LoggerOptions {
  /** `words` for a person at a terminal, `json` for machines: one JSON object a line. */
  style: 'words' | 'json'
  /** Nothing below it is written. */
  level: LogLevel
  colours: boolean
  write(line: string): void
  /** Epoch ms. */
  now(): number
  clean: LogCleaner
}

/** What came from elsewhere passes it in whole, and only when a line is really written. */
export interface LogCleaner {
  /** Secrets masked, and bounded; a handler may have handed over anything. */
  message(message: unknown): string
  /** The same for fields: plain JSON data. */
  fields(fields: unknown): LogFields
  /** Escapes what a terminal would act on. */
  forTerminal(text: string): string
  /** The same with escapes that JSON knows. */
  forJson(line: string): string
}

export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const writer = options.style === 'json' ? await jsonWriter(options) : await wordsWriter(options)
  return loggerOf(writer, options.level)
}

/** A logger in front of any writer: tests and child processes have their own. */
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
  const lines = pino(
    { level, base: null, timestamp, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => write(clean.forJson(line)) },
  )
  return (at, message, { fields, bound }) =>
    lines[at]({ ...clean.fields(bound), ...clean.fields(fields) }, clean.message(message))
}

/** What wf says is whole without its fields, which are for machines. What a handler logs is told with its job and its fields. */
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
    const isHandlers = bound['job'] !== undefined
    const whose = isHandlers
      ? paint.dim(`${shown(`${String(bound['type'])} #${String(bound['job'])}`)}: `)
      : ''
    const told = isHandlers ? clean.forTerminal(toldFields(clean.fields(fields))) : ''
    const words = shown(message)
    const label = /^\w/.test(words) ? labels[level] : ''
    write(`${paint.dim(clock)} ${label}${whose}${words}${told === '' ? '' : ` ${paint.dim(told)}`}\n`)
  }
}

/** `orderId=o-1 amount=30`, of plain data. */
function toldFields(fields: LogFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

/** Beyond this, lines are dropped rather than kept: a reader that stopped reading must not stop the worker, nor fill its memory. */
const mostWaitingBytes = 1024 * 1024

/**
 * Lines to a file descriptor without ever blocking: a full pipe or a stopped terminal would hold a synchronous write, and
 * with it the renewal of leases. A reader that went away is no fault; what is left is dropped.
 */
export class LineStream {
  dropped = 0
  readonly #fd: number
  readonly #later: (retry: () => void) => void
  #waiting: string[] = []
  #waitingBytes = 0
  #writing = false
  #closed = false
  #idle: (() => void)[] = []

  /** @param later calls `retry` after a few ms, for a descriptor that takes nothing just now */
  constructor(fd: number, later: (retry: () => void) => void) {
    this.#fd = fd
    this.#later = later
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.#closed || this.#waitingBytes + bytes > mostWaitingBytes) {
      this.dropped++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += bytes
    if (!this.#writing) this.#next()
  }

  /** Resolves when everything was written or can no longer be. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#writing) return resolve()
      this.#idle.push(resolve)
    })
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#closed) {
      this.#writing = false
      for (const resolve of this.#idle.splice(0)) resolve()
      return
    }
    this.#writing = true
    const block = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#push(block)
  }

  #push(block: Buffer): void {
    writeFd(this.#fd, block, 0, block.length, null, (error, written) => {
      if (error?.code === 'EAGAIN') return this.#later(() => this.#push(block))
      this.#closed ||= error !== null
      this.#waitingBytes -= error ? block.length : written
      if (!error && written < block.length) return this.#push(block.subarray(written))
      this.#next()
    })
  }
}
