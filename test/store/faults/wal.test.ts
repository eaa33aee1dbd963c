import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { newJob } from '../../../src/domain/new-job.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import type { StoreReader } from '../../../src/store/port.ts'
import { startChild } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openRead, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'
import type { Selector } from '../../../src/domain/selector.ts'

const walBytes = (path: string) => statSync(`${path}-wal`).size
const MiB = 1024 * 1024

/** Each question of the port, with an answer of several rows or pages. */
const questions: Readonly<
  Record<Exclude<keyof StoreReader, 'close'>, (reader: StoreReader) => Promise<unknown>>
> = {
  info: (reader) => reader.info(),
  job: (reader) => reader.job(1),
  jobs: (reader) => allPages((selector, page) => reader.jobs(selector, page)),
  incidents: (reader) => allPages((selector, page) => reader.incidents(selector, page)),
  deadLetters: (reader) => allPages((selector, page) => reader.deadLetters(selector, page)),
  tally: (reader) => reader.tally('incidents', {}),
  deadLetter: (reader) => reader.deadLetter(4),
  workers: (reader) => reader.workers(1),
  types: (reader) => reader.types(1),
  facts: (reader) => reader.facts({ jobs: [1], types: ['t'] }),
  pausedTypes: (reader) => reader.pausedTypes(0),
  counts: (reader) => reader.counts(),
  hasDue: (reader) => reader.hasDue(['t', 'u'], true, 1),
  hasPending: (reader) => reader.hasPending(['t', 'u'], 1),
  nextDue: (reader) => reader.nextDue(['t', 'u']),
  held: (reader) => reader.held('w#1'),
  running: (reader) => reader.running('w#1'),
  expiredLeases: (reader) => reader.expiredLeases(1, 1),
  overdue: (reader) => reader.overdue(1, 1),
  history: (reader) => reader.history(10),
  breakers: (reader) => reader.breakers(),
  breaker: (reader) => reader.breaker('stripe'),
  breakerHistory: (reader) => reader.breakerHistory('stripe', 10),
  allSteps: (reader) => allPages((_selector, page) => reader.allSteps({}, page)),
  operations: (reader) => allPages((_selector, page) => reader.operations({}, page)),
  operation: (reader) => reader.operation(1),
  operationTargets: (reader) => allPages((_selector, page) => reader.operationTargets(1, page)),
  causes: (reader) => reader.causes({}, 1),
  causeVariables: (reader) => reader.causeVariables({ fingerprint: 'f', sampleKeys: [1, 2], type: 't' }),
  stats: (reader) => reader.stats(0),
  counters: (reader) => reader.counters(),
  attemptTotals: (reader) => reader.attemptTotals({ since: 0, by: 'type' }),
  stopTotals: (reader) => reader.stopTotals({ since: 0, by: 'minute' }),
  waitingTotals: (reader) => reader.waitingTotals(),
  feedPositionAt: (reader) => reader.feedPositionAt(0),
  feedSince: async (reader) => reader.feedSince(await reader.feedPositionAt(0), 100, 1),
  version: (reader) => reader.version(),
}

async function allPages(
  list: (selector: Selector, page: { limit: number; cursor?: string }) => Promise<{ next: string | null }>,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    cursor = (await list({ includeClosed: true }, { limit: 1, ...(cursor === undefined ? {} : { cursor }) }))
      .next
  }
}

/** A truncating checkpoint comes through only while nobody reads an older state. */
function nobodyReads(path: string): boolean {
  const outsider = openRaw(path)
  outsider.pragma('busy_timeout = 0')
  const [{ busy } = { busy: 1 }] = outsider.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  outsider.close()
  return busy === 0
}

describe('the write-ahead log', () => {
  // B081
  it.each(Object.entries(questions))('is held by no reader between two calls: %s', async (_, ask) => {
    const path = freshPath()
    await everyState(path)
    const reader = await openRead(path)
    const writer = await openWrite(path)
    for (const opened of [reader, writer]) {
      await ask(opened)
      await writer.enqueue(jobsOf(1), systemClock.now())
      expect(nobodyReads(path)).toBe(true)
    }
  })

  // B081
  it('stays small while a reader watches and pages, and a writer writes all the time', async () => {
    const path = freshPath()
    const store = await openWrite(path, { durability: 'process' })
    await store.enqueue(jobsOf(500), systemClock.now())
    const [looker, watcher] = [await startChild(), await startChild()]
    await Promise.all([looker, watcher].map((child) => child.do('open', { path, reads: true })))
    const lists = looker.do<number>('until', {
      method: 'jobs',
      args: [{ includeClosed: true }, { limit: 200 }],
    })
    const looks = watcher.do<number>('until', { method: 'version', args: [] })
    const text = 'x'.repeat(4_000)
    const written = (long ? 512 : 48) * MiB
    let largest = 0
    for (let bytes = 0; bytes < written; bytes += 64 * 4_096) {
      const jobs = Array.from({ length: 64 }, () =>
        newJob({ type: 't', variables: { text } }, systemClock.now()),
      )
      await store.enqueue(jobs, systemClock.now())
      largest = Math.max(largest, walBytes(path))
    }
    await Promise.all([looker.do('halt'), watcher.do('halt')])
    expect(await lists).toBeGreaterThan(0)
    expect(await looks).toBeGreaterThan(0)
    expect(largest).toBeLessThan(64 * MiB)
  })

  // B081
  it('gives its space back after an outsider has held it open: above 64 MiB it is cut', async () => {
    const path = freshPath()
    const store = await openWrite(path, { durability: 'process' })
    expect(dbOf(store).pragma('journal_size_limit', { simple: true })).toBe(64 * MiB)
    const outsider = openRaw(path)
    outsider.exec('BEGIN; SELECT count(*) FROM wf_jobs')
    const jobs = Array.from({ length: 64 }, () =>
      newJob({ type: 't', variables: { text: 'x'.repeat(500_000) } }, systemClock.now()),
    )
    while (walBytes(path) < 72 * MiB) await store.enqueue(jobs, systemClock.now())
    outsider.exec('COMMIT')
    for (let writes = 0; writes < 5; writes++) await store.enqueue(jobsOf(1), systemClock.now())
    expect(walBytes(path)).toBeLessThanOrEqual(64 * MiB)
  })
})
