/**
 * A list that stays: drawn again in its place whenever the store changes. Only the lines of the list itself are drawn over, so what
 * stood above stays in the scrollback, and when it ends the last state stays to be read.
 */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { truncate, displayWidth } from '../../text/width.ts'
import type { StoreReader } from '../../store/port.ts'
import { iso } from '../../terminal/json.ts'
import type { Output } from '../../terminal/output.ts'
import type { Sink, Sinks } from '../../terminal/streams.ts'
import { thousands } from '../../terminal/time.ts'

export interface Watch {
  /** The real one. */
  output: Output
  store: Pick<StoreReader, 'version'>
  clock: Clock
  /** Between two looks, at least. */
  everyMs: number
  signal: AbortSignal
  /** What stands above the list. */
  title: string
  /** Draws everything into these. */
  draw(sinks: Sinks): Promise<void>
  rows(): number
}

/** Ages and countdowns go on without any change. */
const agingMs = 10_000

export function refuseWatch(output: Output, env: Readonly<Record<string, string | undefined>>): void {
  if (output.out.isTTY && !output.json && env['TERM'] !== 'dumb') return
  throw new WfError('usage', '--watch draws on a terminal, and this is none', {
    hint: 'wf tail --json follows what happens, a line each',
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

/** Both streams into one text, in the order in which they were written. */
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
  show(lines: readonly string[], rows: number): void
  /** The terminal has another width than it was drawn for. */
  isTurned(): boolean
}

export function createFrame(out: Pick<Sink, 'write' | 'columns'>): Frame {
  let height = 0
  let columns = out.columns
  return {
    isTurned: () => columns !== out.columns,
    show(lines, rows) {
      // What was drawn for another width stands in other rows now: it is left where it is.
      const up = height > 0 && columns === out.columns ? `\u001b[${height}A\r` : ''
      columns = out.columns
      const shown = fitted(lines, { columns: columns ?? 80, rows })
      height = shown.length
      out.write(`${up}${shown.map((line) => `${line}\u001b[K\n`).join('')}\u001b[0J`)
    },
  }
}

const colours = /\u001b\[[\d;]*m/g

/** Each in one row of the terminal, and one row left for the cursor. */
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
