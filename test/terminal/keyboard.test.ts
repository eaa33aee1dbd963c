import { EventEmitter } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyboard, type TerminalInput } from '../../src/terminal/keyboard.ts'
import { say } from '../../src/terminal/safe.ts'

/** A terminal that a test types on. */
function terminal() {
  const input = new EventEmitter()
  const modes: boolean[] = []
  const echoed: string[] = []
  const fake = Object.assign(input, {
    setRawMode: (raw: boolean) => modes.push(raw),
    resume: () => undefined,
    pause: () => undefined,
  })
  const keyboard = createKeyboard(fake as TerminalInput, (text) => echoed.push(text))
  onTestFinished(() => keyboard.end())
  return {
    keyboard,
    modes,
    echoed: () => echoed.join(''),
    type: (text: string | Buffer) => input.emit('data', Buffer.from(text)),
    hangUp: () => input.emit('end'),
  }
}

describe('a keyboard', () => {
  it('hands over keys one by one, typed ahead or not, and passes by those without a letter', async () => {
    const { keyboard, type } = terminal()
    type('r\u001b[A\u001bOPñ')
    expect([await keyboard.key(), await keyboard.key()]).toEqual(['r', 'ñ'])
    const later = keyboard.key()
    type('\u001b[1;5C\t')
    type(Buffer.from('漢').subarray(0, 1))
    type(Buffer.from('漢').subarray(1))
    expect(await later).toBe('漢')
  })

  it('reads a line as it is shown: rubbed out, begun anew, nothing that is no character', async () => {
    const { keyboard, type, echoed } = terminal()
    type('wrong\u0015amoo\u007funt=1\u001b[D\u009b0\rq')
    expect(await keyboard.line(say`set:`)).toBe('amount=10')
    expect(await keyboard.key()).toBe('q')
    expect(echoed()).not.toMatch(/[\u001b\u0080-\u009f]/)
    expect(echoed().startsWith('set: wrong')).toBe(true)
  })

  it.each(['\u0003', '\u0004'])('takes Ctrl-C and Ctrl-D for a farewell, in a line too', async (end) => {
    const { keyboard, type } = terminal()
    type(`${end}half${end}`)
    expect(await keyboard.key()).toBeNull()
    expect(await keyboard.line(say`set:`)).toBeNull()
  })

  it('takes the end of the input for one', async () => {
    const { keyboard, hangUp } = terminal()
    const key = keyboard.key()
    hangUp()
    expect([await key, await keyboard.line(say`set:`)]).toEqual([null, null])
  })

  it('lends the terminal out while something is at work, and gives it back at the end', async () => {
    const { keyboard, type, modes } = terminal()
    type('x')
    await keyboard.key()
    expect(modes).toEqual([true])
    expect(await keyboard.aside(async () => [...modes])).toEqual([true, false])
    await expect(keyboard.aside(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(modes).toEqual([true, false, true, false, true])
    const listeners = process.listenerCount('exit')
    keyboard.end()
    expect(modes.at(-1)).toBe(false)
    expect(process.listenerCount('exit')).toBe(listeners - 1)
  })
})
