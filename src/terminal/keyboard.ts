/**
 * Keys and lines from a terminal, one after the other. The terminal hands over every key as it is pressed, Ctrl-C included, except
 * while something is at work that a person may want to interrupt. It is always put back.
 */
import { StringDecoder } from 'node:string_decoder'
import { displayWidth } from '../text/width.ts'
import type { Safe } from './safe.ts'

/** What a process reads from a person. */
export interface TerminalInput {
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Buffer) => void): unknown
  off(event: 'end', listener: () => void): unknown
  resume(): unknown
  pause(): unknown
}

export interface Keyboard {
  /** One key as text; null for Ctrl-C, Ctrl-D and at the end of the input. Keys without a letter are passed by. */
  key(): Promise<string | null>
  /** A line, shown as it is typed, without its end; null as above. */
  line(question: Safe): Promise<string | null>
  /** The terminal is as it was meanwhile: Ctrl-C is a signal again. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Gives the terminal back. */
  end(): void
}

const ends: ReadonlySet<string> = new Set(['\u0003', '\u0004'])

export function createKeyboard(input: TerminalInput, echo: (text: string) => void): Keyboard {
  const keys = new PressedKeys(input)
  return {
    async key() {
      for (;;) {
        const key = await keys.next()
        if (key === null || key === '\r' || key === '\n' || isShown(key)) return key
      }
    },
    async line(question) {
      echo(`${question.text} `)
      const answer = await readLine(() => keys.next(), echo)
      echo('\n')
      return answer
    },
    async aside(work) {
      keys.release()
      try {
        return await work()
      } finally {
        keys.take()
      }
    },
    end: () => keys.end(),
  }
}

class PressedKeys {
  readonly #input: TerminalInput
  readonly #decoder = new StringDecoder('utf8')
  readonly #pressed: string[] = []
  #waiting: ((key: string | null) => void) | null = null
  #isOver = false

  constructor(input: TerminalInput) {
    this.#input = input
    input.on('data', this.#heard)
    input.on('end', this.#ended)
    // Whatever ends the process, the shell gets its terminal back.
    process.once('exit', this.release)
    this.take()
  }

  async next(): Promise<string | null> {
    const key = await new Promise<string | null>((resolve) => {
      this.#waiting = resolve
      this.#hand()
    })
    return key === null || ends.has(key) ? null : key
  }

  take(): void {
    this.#input.setRawMode?.(true)
    this.#input.resume()
  }

  readonly release = (): void => {
    this.#input.setRawMode?.(false)
    this.#input.pause()
  }

  end(): void {
    this.#input.off('data', this.#heard)
    this.#input.off('end', this.#ended)
    process.off('exit', this.release)
    this.release()
  }

  #hand(): void {
    if (this.#waiting === null || (this.#pressed.length === 0 && !this.#isOver)) return
    const give = this.#waiting
    this.#waiting = null
    give(this.#pressed.shift() ?? null)
  }

  readonly #heard = (chunk: Buffer): void => {
    this.#pressed.push(...keysIn(this.#decoder.write(chunk)))
    this.#hand()
  }

  readonly #ended = (): void => {
    this.#isOver = true
    this.#hand()
  }
}

/** Characters, and whole sequences of keys that have none. */
function keysIn(text: string): readonly string[] {
  return text.match(/\u001b(?:\[[\d;?]*[ -/]*[@-~]|O[\s\S]|[\s\S])?|[\s\S]/gu) ?? []
}

const isShown = (key: string) => !/^[\u0000-\u001f\u007f-\u009f]/.test(key)

async function readLine(
  next: () => Promise<string | null>,
  echo: (text: string) => void,
): Promise<string | null> {
  const typed: string[] = []
  const rub = (keys: readonly string[]) => echo('\b \b'.repeat(displayWidth(keys.join(''))))
  for (;;) {
    const key = await next()
    if (key === null) return null
    if (key === '\r' || key === '\n') return typed.join('')
    if (key === '\u007f' || key === '\b') rub(typed.splice(-1))
    else if (key === '\u0015') rub(typed.splice(0))
    else if (isShown(key)) {
      typed.push(key)
      echo(key)
    }
  }
}
