/**
 * Switches the terminal to the alternate screen, without cursor and wrapping, and restores it on every
 * exit. Restoring is synchronous and never fails, also if the process is exiting or the terminal is gone.
 */
import { writeSync } from 'node:fs'
import type { Size } from './state.ts'

export interface Terminal {
  size(): Size
  /** Whether the dashboard has the screen: between `enter` and `leave`. */
  readonly isTaken: boolean
  enter(): void
  leave(): void
}

export interface TerminalStreams {
  stdout: NodeJS.WriteStream & { fd: number }
  stdin: NodeJS.ReadStream
}

/** The alternate screen, no cursor, no wrapping, pasted text in brackets. */
const taken = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[H\u001b[J'
/** Plain letters, no synchronized output, no bracketed paste, no mouse, wrapping, the cursor, the main screen. */
const given = '\u001b[0m\u001b[?2026l\u001b[?2004l\u001b[?1000l\u001b[?7h\u001b[?25h\u001b[?1049l'

/** The size of a terminal that reports none. */
const usual = { columns: 80, rows: 24 } as const

export function createTerminal({ stdout, stdin }: TerminalStreams): Terminal {
  let isTaken = false
  const write = (text: string) => {
    try {
      writeSync(stdout.fd, text)
    } catch {
      // The terminal is gone: there is nothing to restore.
    }
  }
  return {
    size: () => ({ columns: stdout.columns || usual.columns, rows: stdout.rows || usual.rows }),
    get isTaken() {
      return isTaken
    },
    enter() {
      if (isTaken) return
      isTaken = true
      // Before the first frame: what is typed then must not be echoed over it.
      stdin.setRawMode(true)
      write(taken)
    },
    leave() {
      if (!isTaken) return
      isTaken = false
      try {
        stdin.setRawMode(false)
      } catch {
        // As above.
      }
      write(given)
    },
  }
}

/** Returns the sequence that asks the terminal to copy text (OSC 52). The text is base64, so no terminal acts on it. */
export function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}
