import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLogger, LineStream, type LoggerOptions } from '../src/logger.ts'

async function written(options: Partial<LoggerOptions>) {
  const lines: string[] = []
  const log = await createLogger({
    style: 'words',
    level: 'info',
    colours: false,
    write: (line) => lines.push(line),
    now: () => Date.UTC(2024, 0, 2, 3, 4, 5),
    clean: (text) => text.replaceAll('\u001b', '<ESC>'),
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

  it('A39 lets nothing through to a terminal that was not cleaned', async () => {
    const { log, lines } = await written({})
    log.info('failed: \u001b[2J')
    expect(lines.join('')).toContain('failed: <ESC>[2J')
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

describe('a stream of lines', () => {
  it('writes in order and tells when all is written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wf-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'log')
    const fd = openSync(path, 'w')
    const stream = new LineStream(fd, (retry) => retry())
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) stream.write(line)
    await stream.flushed()
    closeSync(fd)
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
    expect(stream.dropped).toBe(0)
  })

  it('B051 drops lines once nobody can read them, without a word', async () => {
    const stream = new LineStream(9999, (retry) => retry())
    stream.write('one\n')
    await stream.flushed()
    stream.write('two\n')
    await stream.flushed()
    expect(stream.dropped).toBe(1)
  })

  it('drops lines rather than filling the memory when a reader is slow', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wf-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const fd = openSync(join(folder, 'log'), 'w')
    const stream = new LineStream(fd, (retry) => retry())
    for (let line = 0; line < 100; line++) stream.write('x'.repeat(100_000))
    expect(stream.dropped).toBeGreaterThan(80)
    await stream.flushed()
    closeSync(fd)
  })
})
