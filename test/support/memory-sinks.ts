import type { Sink, Sinks } from '../../src/terminal/streams.ts'

export interface MemorySink extends Sink {
  readonly text: string
}

/** Streams that only remember. */
export function memorySinks({
  isTTY = false,
  columns = null,
}: {
  isTTY?: boolean
  columns?: number | null
} = {}): Sinks & { out: MemorySink; err: MemorySink } {
  return { out: memorySink(isTTY, columns), err: memorySink(isTTY, columns) }
}

function memorySink(isTTY: boolean, columns: number | null): MemorySink {
  let text = ''
  return {
    write(more) {
      text += more
    },
    drained: () => Promise.resolve(),
    get text() {
      return text
    },
    closed: false,
    isTTY,
    columns,
  }
}
