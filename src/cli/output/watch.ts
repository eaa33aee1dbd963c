/**
 * `--watch`: draws a list again in its place whenever the store changes. Only the lines of the list are overwritten, so
 * earlier output stays in the scrollback, and the last state stays on the screen at the end.
 */
import { createLogUpdate } from 'log-update'
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { truncate, displayWidth } from '../../text/width.ts'
import type { StoreReader } from '../../store/port.ts'
import { iso } from '../../terminal/json.ts'
import type { Output } from '../../terminal/output.ts'
import type { Sink, Sinks } from '../../terminal/streams.ts'
import { thousands } from '../../terminal/time.ts'

export interface Watch {
  /** The command's own output. */
  output: Output
  store: Pick<StoreReader, 'version'>
  clock: Clock
  /** Between two polls, at least. */
  everyMs: number
  signal: AbortSignal
  /** The line above the list. */
  title: string
  /** Draws the list into these sinks. */
  draw(sinks: Sinks): Promise<void>
  rows(): number
}

/** Ages and countdowns change without a commit. */
const agingMs = 10_000

export function refuseWatch(output: Output, env: Readonly<Record<string, string | undefined>>): void {
  if (output.out.isTTY && !output.json && env['TERM'] !== 'dumb') return
  throw new WfError('usage', '--watch needs a terminal, and standard output is none', {
    hint: 'use wf tail --json to follow the store in a script',
  })
}

export async function watchList({
  output,
  store,
  clock,
  everyMs,
  signal,
  title,
  draw,
  rows,
}: Watch): Promise<void> {
  const { out } = output
  const frame = createFrame(out)
  let known: number | null = null
  let drawnMs = Number.NEGATIVE_INFINITY
  out.write('\u001b[?25l')
  try {
    do {
      const version = await store.version()
      const isDue = version !== known || clock.monotonic() - drawnMs >= agingMs || frame.isTurned()
      if (isDue) {
        known = version
        drawnMs = clock.monotonic()
        const { sinks, lines } = memory(out)
        await draw(sinks)
        const head = output.paint.dim(`${title}  ${iso(clock.now()).slice(11, 19)}  Ctrl-C ends`).text
        frame.show([head, ...lines()], rows())
      }
      await clock.sleep(everyMs, signal)
    } while (!signal.aborted && !out.closed)
  } finally {
    out.write('\u001b[?25h')
  }
}

/** Collects both streams in one text, in the order of writing. */
function memory({ columns }: Sink): { sinks: Sinks; lines(): readonly string[] } {
  let text = ''
  const sink: Sink = {
    write(more) {
      text += more
    },
    drained: () => Promise.resolve(),
    closed: false,
    isTTY: true,
    columns,
  }
  return { sinks: { out: sink, err: sink }, lines: () => text.replace(/\n$/, '').split('\n') }
}

export interface Frame {
  /** @param rows height of the terminal */
  show(lines: readonly string[], rows: number): void
  /** Whether the terminal has another width than the frame was drawn for. */
  isTurned(): boolean
}

export function createFrame(out: Pick<Sink, 'write' | 'columns'>): Frame {
  const stream = { columns: out.columns ?? 80, rows: 24, write: (text: string) => out.write(text) }
  const log = createLogUpdate(stream as unknown as NodeJS.WritableStream, { showCursor: true })
  let { columns } = out
  return {
    isTurned: () => columns !== out.columns,
    show(lines, rows) {
      // Lines that were drawn for another width are wrapped now: they are left where they are.
      if (columns !== out.columns) log.done()
      columns = out.columns
      stream.columns = columns ?? 80
      stream.rows = rows
      log(fitted(lines, { columns: stream.columns, rows }).join('\n'))
    },
  }
}

const colours = /\u001b\[[\d;]*m/g

/** Truncates each line to one row of the terminal, and leaves one row for the cursor. */
function fitted(
  lines: readonly string[],
  { columns, rows }: { columns: number; rows: number },
): readonly string[] {
  const room = Math.max(2, rows - 1)
  const cut = lines.slice(0, lines.length > room ? room - 1 : room).map((line) => {
    const plain = line.replace(colours, '')
    return displayWidth(plain) > columns ? truncate(plain, columns) : line
  })
  return lines.length > room ? [...cut, `… ${thousands(lines.length - cut.length)} more lines`] : cut
}
