/**
 * The process's own output streams. A reader that went away (`| head -1`) is no fault: what is left to write is dropped
 * and the command goes on. Nobody calls process.exit: that would cut what a pipe has not taken yet.
 */
export interface Sink {
  write(text: string): void
  /** Resolves once what was written has been taken, or nobody reads any more: for those who write much. */
  drained(): Promise<void>
  /** True once nobody reads any more. */
  readonly closed: boolean
  readonly isTTY: boolean
  /** Columns of the terminal, or what COLUMNS says; null when neither is known. */
  readonly columns: number | null
}

export interface Sinks {
  out: Sink
  err: Sink
}

const goneCodes = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

const ends = ['drain', 'close', 'error'] as const

let shared: Sinks | undefined

/** One pair a process: listeners are added once. */
export function processSinks(): Sinks {
  if (!shared) {
    const err = sinkOf(process.stderr, () => {})
    // Whoever listened before: from here on the sink tells.
    process.stdout.removeAllListeners('error')
    const out = sinkOf(process.stdout, writeFailed)
    shared = { out, err }
  }
  return shared
}

/** What was to be on standard output is not there: not to be taken for a success. */
export function writeFailed(error: NodeJS.ErrnoException): void {
  if (goneCodes.has(error.code ?? '')) return
  process.exitCode = 1
  processSinks().err.write(`wf: cannot write to standard output: ${error.message}\n`)
}

function sinkOf(stream: NodeJS.WriteStream, failed: (error: NodeJS.ErrnoException) => void): Sink {
  let closed = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (closed) return
    closed = true
    if (!goneCodes.has(error.code ?? '')) failed(error)
  })
  return {
    write(text) {
      if (!closed && text !== '') stream.write(text)
    },
    drained() {
      if (closed || !stream.writableNeedDrain) return Promise.resolve()
      return new Promise((resolve) => {
        const done = () => {
          for (const event of ends) stream.off(event, done)
          resolve()
        }
        for (const event of ends) stream.once(event, done)
      })
    },
    get closed() {
      return closed
    },
    isTTY: stream.isTTY === true,
    get columns() {
      if (stream.isTTY && stream.columns > 0) return stream.columns
      const told = Number(process.env['COLUMNS'])
      if (Number.isInteger(told) && told > 0) return told
      return stream.isTTY ? 80 : null
    },
  }
}
