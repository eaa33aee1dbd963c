import { describe, expect, it } from 'vitest'
import { enqueueLines, type Bulk } from '../../../src/cli/enqueue/bulk-enqueue.ts'
import { tellBulk } from '../../../src/cli/enqueue/bulk-sum.ts'
import { readKeyPath } from '../../../src/cli/input/key-path.ts'
import { createOutput } from '../../../src/terminal/output.ts'
import { WfError } from '../../../src/errors.ts'
import { memorySinks } from '../../support/memory-sinks.ts'
import { testEngine, type TestEngine } from '../../support/test-engine.ts'

const full = () => new WfError('store_full', 'the disk is full', { hint: 'Free space.' })

/** Takes this many batches, then none, until the space is freed with what it answers. */
function fillsUpAfter({ store }: TestEngine, batches: number, error: () => unknown = full): () => void {
  const enqueue = store.enqueue.bind(store)
  let left = batches
  store.enqueue = async (jobs, now) => {
    if (left-- <= 0) throw error()
    return enqueue(jobs, now)
  }
  return () => {
    store.enqueue = enqueue
  }
}

const lines = (count: number, line = (n: number) => `{"n":${n}}`) =>
  Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join('')

async function* chunksOf(text: string, error?: Error): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
  if (error) throw error
}

interface Given extends Partial<Bulk> {
  chunks: AsyncIterable<Uint8Array>
}

/** What is done with lines, and what is said of it, to people and as data. */
async function bulk(t: TestEngine, { chunks, keyFrom = null, ...given }: Given) {
  const source = { name: 'orders.jsonl', bytes: null, chunks, close: () => undefined }
  const progress = { update: () => undefined, end: () => undefined }
  const done = await enqueueLines({
    engine: t.engine,
    source,
    shared: { type: 'mail' },
    keyFrom,
    progress,
    signal: new AbortController().signal,
    clock: t.clock,
    ...given,
  })
  const tell = async (json: boolean) => {
    const sinks = memorySinks()
    const output = await createOutput({ sinks, env: {}, json, noColour: true })
    const code = tellBulk(output, { ...done, stoppedWith: null, keyed: keyFrom !== null })
    return { code, out: sinks.out.text, err: sinks.err.text }
  }
  const document = await tell(true)
  return { ...(await tell(false)), json: JSON.parse(document.out) as Record<string, unknown> }
}

const jobCount = async ({ store }: TestEngine) => (await store.counts()).available ?? 0

describe('a bulk that breaks off', () => {
  it('says how many were enqueued, from which line on none was, and why, and ends as partly done', async () => {
    const t = await testEngine()
    fillsUpAfter(t, 2)
    const end = await bulk(t, { chunks: chunksOf(lines(1_700)) })
    expect(end.code).toBe(6)
    expect(await jobCount(t)).toBe(1_000)
    expect(end.out).toBe('1,000 jobs enqueued  keys 1 to 1000\n')
    expect(end.err).toContain('from line 1,001 on nothing was enqueued')
    expect(end.err).toContain('the disk is full')
    expect(end.err).toContain('Free space.')
    expect(end.err).toContain('tail -n +1001')
    expect(end.json).toMatchObject({
      lines: 1_000,
      enqueued: 1_000,
      firstKey: 1,
      lastKey: 1_000,
      nextLine: 1_001,
      error: {
        code: 'partly_done',
        cause: { code: 'store_full', message: 'the disk is full', hint: 'Free space.' },
      },
    })
  })

  // B093
  it('does not say of lines that nothing was enqueued when nobody knows', async () => {
    const t = await testEngine()
    fillsUpAfter(t, 2, () => new WfError('outcome_unknown', 'nobody knows', { hint: 'Check the disk.' }))
    const end = await bulk(t, { chunks: chunksOf(lines(1_700)) })
    expect(end.code).toBe(6)
    expect(end.err).toContain('from line 1,001 on it is unknown what was enqueued')
    expect(end.err).toContain('check which of the lines from 1,001 on are stored')
    expect(end.err).not.toMatch(/nothing was enqueued|tail -n/)
    expect(end.json).toMatchObject({
      enqueued: 1_000,
      nextLine: 1_001,
      error: { code: 'partly_done', cause: { code: 'outcome_unknown' } },
    })
  })

  it('counts lines as the file has them, blank and refused ones too', async () => {
    const t = await testEngine()
    fillsUpAfter(t, 1)
    const end = await bulk(t, { chunks: chunksOf(`\n\noops\n${lines(499)}\n${lines(100)}`) })
    expect(end.json).toMatchObject({
      lines: 500,
      enqueued: 499,
      refused: 1,
      refusals: [{ line: 3 }],
      nextLine: 503,
      error: { code: 'partly_done' },
    })
  })

  it('ends as the store does when nothing was enqueued, whatever was refused before', async () => {
    const t = await testEngine()
    fillsUpAfter(t, 0)
    await expect(bulk(t, { chunks: chunksOf(lines(10)) })).rejects.toMatchObject({ code: 'store_full' })
    fillsUpAfter(t, 1)
    const end = await bulk(t, { chunks: chunksOf(`${'oops\n'.repeat(500)}${lines(10)}`) })
    expect(end.code).toBe(3)
    expect(end.json).toMatchObject({
      enqueued: 0,
      refused: 500,
      nextLine: 501,
      error: { code: 'store_full' },
    })
  })

  it('is no different when the source cannot be read on, or wf itself is at fault', async () => {
    const t = await testEngine()
    const broken = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    const read = await bulk(t, { chunks: chunksOf(lines(600), broken) })
    expect(read).toMatchObject({
      code: 6,
      json: { enqueued: 600, nextLine: 601, error: { cause: { code: 'usage' } } },
    })
    expect(read.err).toContain('cannot read orders.jsonl')
    fillsUpAfter(t, 1, () => new TypeError('a fault'))
    const fault = await bulk(t, { chunks: chunksOf(lines(600)) })
    expect(fault).toMatchObject({
      code: 6,
      json: {
        enqueued: 500,
        error: { code: 'partly_done', cause: { code: 'unexpected', message: 'a fault' } },
      },
    })
  })

  it('all of it handed in again, with keys from its lines, adds what was missing and nothing twice', async () => {
    const t = await testEngine()
    const keyFrom = readKeyPath('order.id', '--idempotency-key-from')
    const text = lines(1_700, (n) => `{"order":{"id":"o-${n}"}}`)
    const freeSpace = fillsUpAfter(t, 2)
    const first = await bulk(t, { chunks: chunksOf(text), keyFrom })
    expect(first).toMatchObject({ code: 6, json: { enqueued: 1_000 } })
    expect(first.err).toContain('enqueue the same lines again')
    freeSpace()
    const second = await bulk(t, { chunks: chunksOf(text), keyFrom })
    expect(second).toMatchObject({
      code: 0,
      err: '',
      json: { enqueued: 700, duplicates: 1_000, firstKey: 1_001, lastKey: 1_700, nextLine: null },
    })
    expect(second.out).toBe('700 jobs enqueued, 1,000 there already  keys 1001 to 1700\n')
    expect(await bulk(t, { chunks: chunksOf(text), keyFrom })).toMatchObject({
      code: 0,
      json: { enqueued: 0, duplicates: 1_700, firstKey: null },
    })
    expect(await jobCount(t)).toBe(1_700)
  })
})

describe('idempotency keys from lines', () => {
  it('takes text and numbers, refuses a line that has neither there, and names it', async () => {
    const t = await testEngine()
    const values = ['"o-1"', '17', '1.5', '""', 'true', 'null', '{}', '[1]', undefined]
    const text = values.map((value) => `{"order":{${value === undefined ? '' : `"id":${value}`}}}\n`).join('')
    const end = await bulk(t, {
      chunks: chunksOf(`${text}{"order":3}\n`),
      keyFrom: readKeyPath('variables.order.id', '--idempotency-key-from'),
    })
    expect(end.json).toMatchObject({ enqueued: 3, refused: 7, error: { code: 'partly_done' } })
    expect(end.err).toContain(
      'line 9 refused: there is no "variables.order.id": the line has no idempotency key',
    )
    expect(end.err).toContain('line 6 refused: "variables.order.id" is null')
    const keys = await Promise.all([1, 2, 3].map(async (key) => (await t.detail(key)).idempotencyKey))
    expect(keys).toEqual(['o-1', '17', '1.5'])
  })

  it('refuses a line whose key stands for other variables, and names the key and its job', async () => {
    const t = await testEngine()
    const keyFrom = readKeyPath('id', '--idempotency-key-from')
    const end = await bulk(t, {
      chunks: chunksOf('{"id":1,"n":1}\n{"id":1,"n":1}\n{"n":2,"id":1}\n'),
      keyFrom,
    })
    expect(end.json).toMatchObject({
      enqueued: 1,
      duplicates: 1,
      refused: 1,
      refusals: [{ line: 3, code: 'idempotency_conflict' }],
    })
    expect(end.err).toContain('job 1 has the idempotency key "1"')
  })

  it.each(['', 'a..b', '.'])('refuses %j as a place', (path) => {
    expect(() => readKeyPath(path, '--idempotency-key-from')).toThrow(
      expect.objectContaining({ code: 'usage' }),
    )
  })

  it('takes what lines have of their own, not what every object has', async () => {
    const t = await testEngine()
    for (const path of ['constructor.name', '__proto__.x', 'list.length']) {
      const end = await bulk(t, {
        chunks: chunksOf('{"list":[1]}\n'),
        keyFrom: readKeyPath(path, '--idempotency-key-from'),
      })
      expect(end.json).toMatchObject({ enqueued: 0, refused: 1 })
    }
  })
})
