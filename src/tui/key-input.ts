/**
 * Filters what is typed before Ink reads it. Holds the beginning of an escape sequence until its rest arrives, since Ink takes a
 * lone ESC for the Esc key at once, and turns a bracketed paste into one event, so that pasted text never acts as keys.
 */
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Cancel, Clock } from '../clock.ts'
import { pasteMark } from './key-names.ts'

export interface KeyInput {
  /** The stdin to give to Ink. */
  readonly stdin: NodeJS.ReadStream
  /** Signals reading the terminal. */
  close(): void
}

/** A slow connection delivers the bytes of one key within this time. */
const escapeMs = 50
/** A paste whose end never arrives ends after this pause. */
const pasteMs = 1_000

const [pasteStart, pasteEnd] = ['\u001b[200~', '\u001b[201~']
const partialKey = /\u001b(?:\[[\d;?]*|O)?$/

export function createKeyInput(source: NodeJS.ReadStream, clock: Clock): KeyInput {
  const decoder = new StringDecoder('utf8')
  // In object mode each chunk stays an event of its own. The terminal itself is switched by its owner.
  const keys = Object.assign(new Readable({ objectMode: true, read() {} }), {
    ...{ isTTY: true, setRawMode: () => keys, setEncoding: () => keys, ref: () => keys, unref: () => keys },
  })
  let held = ''
  let cancel: Cancel = () => {}
  const emit = (text: string) => void (text !== '' && keys.push(text))
  const emitPaste = (text: string) => emit(`${pasteMark}${text.replace(/\p{Cc}+/gu, ' ')}`)
  const release = () => {
    if (held.startsWith(pasteStart)) emitPaste(held.slice(pasteStart.length))
    else emit(held)
    held = ''
  }
  const read = (chunk: Buffer | string) => {
    cancel()
    let rest = held + (typeof chunk === 'string' ? chunk : decoder.write(chunk))
    for (let start = rest.indexOf(pasteStart); start >= 0; start = rest.indexOf(pasteStart)) {
      emit(rest.slice(0, start))
      rest = rest.slice(start)
      const length = rest.indexOf(pasteEnd)
      if (length < 0) break
      emitPaste(rest.slice(pasteStart.length, length))
      rest = rest.slice(length + pasteEnd.length)
    }
    const isPaste = rest.startsWith(pasteStart)
    held = isPaste ? rest : (partialKey.exec(rest)?.[0] ?? '')
    emit(rest.slice(0, rest.length - held.length))
    if (held !== '') cancel = clock.after(isPaste ? pasteMs : escapeMs, release)
  }
  source.on('data', read)
  return {
    stdin: keys as unknown as NodeJS.ReadStream,
    close() {
      cancel()
      source.off('data', read)
      source.pause()
    },
  }
}
