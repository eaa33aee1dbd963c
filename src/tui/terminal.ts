/**
 * The terminal that the dashboard borrows: a screen of its own, without cursor and wrapping, and back as it was on every
 * way out. Giving it back is written at once and never fails, also when the process is about to end or the terminal is gone.
 */
import { writeSync } from 'node:fs'
import type { Size } from './state.ts'

export interface Terminal {
  size(): Size
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

/** Where a terminal does not say how large it is. */
const usual = { columns: 80, rows: 24 } as const

export function createTerminal({ stdout, stdin }: TerminalStreams): Terminal {
  let isTaken = false
  const write = (text: string) => {
    try {
      writeSync(stdout.fd, text)
    } catch {
      // It is gone, or takes nothing more: there is nothing left to restore.
    }
  }
  return {
    size: () => ({ columns: stdout.columns || usual.columns, rows: stdout.rows || usual.rows }),
    enter() {
      if (isTaken) return
      isTaken = true
      // Before anything is shown: what is typed at the first frame is meant for it, and is not to be echoed over it.
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

/** Asks the terminal to put text on the clipboard. The text is wf's own line, and travels as base64: nothing in it is obeyed. */
export function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}
