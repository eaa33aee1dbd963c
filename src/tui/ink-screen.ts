/**
 * Runs the component on Ink, without letting Ink write to the terminal: its way of erasing what it drew wipes the
 * scrollback when a window gets smaller than a frame. It hands whole frames to the painter instead.
 */
import { Writable } from 'node:stream'
import { Dashboard, type Desk } from './app.ts'
import type { Painter } from './painter.ts'

export interface InkScreenOptions {
  desk: Desk
  painter: Painter
  stdin: NodeJS.ReadStream
}

export interface InkScreen {
  /** Rejects with what was thrown while drawing. */
  readonly ended: Promise<unknown>
  unmount(): void
}

export async function startInk({ desk, painter, stdin }: InkScreenOptions): Promise<InkScreen> {
  // React reads it when it is loaded; its other build measures every render, and keeps what it measured.
  process.env['NODE_ENV'] = 'production'
  const [ink, react] = await Promise.all([import('ink'), import('react')])
  const frames = new FrameStream(painter) as unknown as NodeJS.WriteStream
  const { unmount, waitUntilExit } = ink.render(react.createElement(Dashboard, { ink, react, desk }), {
    ...{ stdin, stdout: frames, exitOnCtrlC: false, patchConsole: false },
    // One write a frame, whole.
    debug: true,
  })
  return { ended: waitUntilExit(), unmount }
}

/** Takes what Ink writes. One column wide: lines are as long as they are, and Ink fills nothing up. */
class FrameStream extends Writable {
  readonly columns = 1
  readonly rows = 1
  readonly #painter: Painter

  constructor(painter: Painter) {
    super({ decodeStrings: false })
    this.#painter = painter
  }

  override _write(frame: string, _: BufferEncoding, done: () => void): void {
    this.#painter.paint(frame.split('\n'))
    done()
  }
}
