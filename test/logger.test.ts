import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { logCleaner } from '../src/text/sanitize.ts'
import { createLogger, openDestination, type LoggerOptions } from '../src/logger.ts'

async function written(options: Partial<LoggerOptions>) {
  const lines: string[] = []
  const log = await createLogger({
    style: 'words',
    level: 'info',
    colours: false,
    write: (line) => lines.push(line),
    now: () => Date.UTC(2024, 0, 2, 3, 4, 5),
    clean: logCleaner,
    ...options,
  })
  return { log, lines }
}

describe('the log', () => {
  it('is one line of words for people, with its level as a word', async () => {
    const { log, lines } = await written({})
    log.info('working on mail')
    log.warn('process 1 was ended by SIGKILL')
    log.error('nothing goes')
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'working on mail\n',
      'warning: process 1 was ended by SIGKILL\n',
      'error: nothing goes\n',
    ])
  })

  // A39
  it('lets nothing through to a terminal that was not cleaned', async () => {
    const { log, lines } = await written({})
    log.info('failed: \u001b[2J')
    expect(lines.join('')).toContain('failed: \\u001b[2J')
  })

  it.each(['words', 'json'] as const)(
    // A39
    'masks secrets and escapes what a terminal obeys in %s, at every level, in messages and fields, bound or not',
    async (style) => {
      const { log, lines } = await written({ style, level: 'debug' })
      const nasty = '\u202egnp \u009b31m \u001b]0;x\u0007 postgres://a:hunter2@b password=hunter2'
      const fields = {
        password: 'hunter2 hunter2',
        [nasty]: { list: [nasty, { cvv: 'hunter2' }] },
        error: new Error(nasty),
        big: 1n,
        url: 'postgres://u:hunter2@db',
      }
      for (const logger of [
        log,
        log.child({ job: 1, type: nasty, attempt: 1 }),
        log.child({ secret: 'hunter2', worker: nasty }),
      ])
        for (const level of ['debug', 'info', 'warn', 'error'] as const)
          logger[level](`thrown ${nasty} {"password": "hunter2"}`, fields)
      expect(lines).toHaveLength(12)
      for (const line of lines) {
        expect(line).not.toContain('hunter2')
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
        if (style === 'json')
          expect(JSON.parse(line)).toMatchObject({ password: '***', msg: expect.stringContaining('\u202e') })
      }
    },
  )

  // B060
  it('takes whatever a handler hands over', async () => {
    for (const style of ['words', 'json'] as const) {
      const { log, lines } = await written({ style })
      const circle: Record<string, unknown> = {}
      circle['self'] = circle
      log.child({ job: 1, type: 't' }).info({ not: 'text' } as unknown as string, circle)
      log.child({ job: 1, type: 't' }).info('text', 'text' as unknown as Record<string, unknown>)
      expect(lines).toHaveLength(2)
      expect(lines[1]).toContain('value')
    }
  })

  it('cleans nothing of what it does not write', async () => {
    let cleaned = 0
    const message = (text: unknown) => {
      cleaned++
      return String(text)
    }
    const { log } = await written({ level: 'warn', clean: { ...logCleaner, message } })
    log.info('not written')
    expect(cleaned).toBe(0)
    log.warn('written')
    expect(cleaned).toBe(1)
  })

  it('is one JSON object a line elsewhere, with the time in UTC and every field', async () => {
    const { log, lines } = await written({ style: 'json' })
    log.child({ worker: 'w#1' }).warn('gone', { jobs: [1, 2] })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 'warn', time: '2024-01-02T03:04:05.000Z', worker: 'w#1', jobs: [1, 2], msg: 'gone' },
    ])
  })

  it('leaves out what is below its level', async () => {
    for (const style of ['words', 'json'] as const) {
      const { log, lines } = await written({ style, level: 'warn' })
      log.debug('no')
      log.info('no')
      log.error('yes')
      expect(lines).toHaveLength(1)
    }
  })
})

describe('a destination of lines', () => {
  function temporaryFile() {
    const folder = mkdtempSync(join(tmpdir(), 'wf-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'log')
    return { path, fd: openSync(path, 'w') }
  }

  it('writes in order and resolves when all is written', async () => {
    const { path, fd } = temporaryFile()
    const destination = await openDestination(fd, () => true)
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) destination.write(line)
    await destination.end()
    destination.write('late\n')
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  })

  // B051
  it('drops lines that cannot be written, without an error', async () => {
    const destination = await openDestination(9999, () => true)
    destination.write('one\n')
    destination.write('two\n')
    await destination.end()
    destination.write('three\n')
  })

  it('drops lines instead of filling the memory when a reader is slow', async () => {
    const { path, fd } = temporaryFile()
    const destination = await openDestination(fd, () => true)
    for (let line = 0; line < 100; line++) destination.write('x'.repeat(100_000))
    await destination.end()
    const written = readFileSync(path, 'utf8').length
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThan(20 * 100_000)
  })
})
