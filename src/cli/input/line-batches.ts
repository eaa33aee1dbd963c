/**
 * Lines gathered into batches: a full one at once, a started one after a moment, so that a slow stream is worked on as
 * it comes. Reading ahead stops at one full batch. An abort hands out what was read and waits for nothing more.
 */
import type { Cancel, Clock } from '../../clock.ts'
import type { Line } from './lines.ts'

export interface BatchOptions {
  clock: Clock
  signal: AbortSignal
}

export const batchLines = 500
const batchCharacters = 4 * 1024 * 1024
const longestWaitMs = 200

export async function* batchesOf(
  lines: AsyncIterable<Line>,
  { clock, signal }: BatchOptions,
): AsyncGenerator<readonly Line[]> {
  const bench = new Bench(clock)
  const stop = () => bench.end()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  // Its error is handed on by `taken`; after an abort nobody waits for it.
  void fill(bench, lines)
  try {
    for (let batch = await bench.taken(); batch.length > 0; batch = await bench.taken()) yield batch
  } finally {
    signal.removeEventListener('abort', stop)
    bench.end()
  }
}

async function fill(bench: Bench, lines: AsyncIterable<Line>): Promise<void> {
  try {
    for await (const line of lines) {
      if (bench.hasEnded) return
      if (line.text.trim() !== '' || line.tooLong) await bench.put(line)
    }
    bench.end()
  } catch (error) {
    bench.end(error)
  }
}

class Bench {
  hasEnded = false
  readonly #clock: Clock
  #batch: Line[] = []
  #characters = 0
  #isDue = false
  #timer: Cancel | undefined
  #error: unknown
  #taker: (() => void) | undefined
  #putter: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when there is room for another. */
  put(line: Line): Promise<void> | void {
    this.#batch.push(line)
    this.#characters += line.text.length
    this.#timer ??= this.#clock.after(longestWaitMs, () => {
      this.#isDue = true
      this.#taker?.()
    })
    if (!this.#isFull) return
    this.#taker?.()
    return new Promise((resolve) => {
      this.#putter = resolve
    })
  }

  end(error?: unknown): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#error = error
    // Whoever takes no more must not be kept alive by it.
    this.#timer?.()
    this.#taker?.()
    this.#putter?.()
  }

  /** Empty at the end. Rejects with what ended the lines, once all that was read has been taken. */
  async taken(): Promise<readonly Line[]> {
    while (!this.hasEnded && !this.#isFull && !(this.#isDue && this.#batch.length > 0)) {
      await new Promise<void>((resolve) => {
        this.#taker = resolve
      })
    }
    const batch = this.#batch
    this.#timer?.()
    this.#timer = undefined
    this.#isDue = false
    this.#batch = []
    this.#characters = 0
    this.#putter?.()
    if (batch.length === 0 && this.#error !== undefined) throw this.#error
    return batch
  }

  get #isFull(): boolean {
    return this.#batch.length >= batchLines || this.#characters >= batchCharacters
  }
}
