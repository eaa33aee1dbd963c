import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { createKeyInput } from '../../src/tui/key-input.ts'
import { pasteMark } from '../../src/tui/key-names.ts'

function typing() {
  const clock = createFakeClock()
  const source = new PassThrough()
  const keys = createKeyInput(source as unknown as NodeJS.ReadStream, clock)
  const events = () => {
    const found: string[] = []
    for (let event = keys.stdin.read(); event !== null; event = keys.stdin.read()) found.push(String(event))
    return found
  }
  const type = async (bytes: string | Buffer) => {
    source.write(bytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, source, keys, events, type }
}

describe('what is typed', () => {
  // F26
  it('keeps the bytes of an arrow key together, however they arrive', async () => {
    const { clock, events, type } = typing()
    for (const byte of ['\u001b', '[', 'D']) {
      await type(byte)
      await clock.advance(20)
    }
    expect(events()).toEqual(['\u001b[D'])
  })

  // F26
  it('holds a lone ESC for 50 ms, and not longer', async () => {
    const { clock, events, type } = typing()
    await type('j\u001b')
    await clock.advance(40)
    expect(events()).toEqual(['j'])
    await clock.advance(20)
    expect(events()).toEqual(['\u001b'])
  })

  // F27
  it('makes one event of pasted text, between the keys around it, without control characters', async () => {
    const { events, type } = typing()
    await type('/\u001b[200~one\ntwo\u001b[31m R')
    await type('yq\u001b[201~j')
    expect(events()).toEqual(['/', `${pasteMark}one two [31m Ryq`, 'j'])
  })

  // F27
  it('ends a paste whose end never arrives', async () => {
    const { clock, events, type } = typing()
    await type('\u001b[200~lost')
    await clock.advance(1_100)
    await type('j')
    expect(events()).toEqual([`${pasteMark}lost`, 'j'])
  })

  it('keeps a letter whole whose bytes arrive apart, and reads nothing once it is closed', async () => {
    const { events, type, keys } = typing()
    const bytes = Buffer.from('漢')
    await type(bytes.subarray(0, 1))
    await type(bytes.subarray(1))
    expect(events()).toEqual(['漢'])
    keys.close()
    await type('q')
    expect(events()).toEqual([])
  })
})
