/** Somebody deletes, moves or replaces the store's file under workers and a program that enqueues. */
import { renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openClient } from '../../src/client.ts'
import { eventually, wf } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

interface Accepting {
  /** Keys of jobs that were accepted. */
  accepted: number[]
  /** What the first that was not was refused with. */
  refused: Promise<{ code: string; message: string }>
}

/** Enqueues one job after the other, as fast as it can, until one is refused. */
async function producer(location: string): Promise<Accepting> {
  const client = await openClient({ store: location })
  onTestFinished(() => client.close())
  const accepted: number[] = []
  const run = async () => {
    for (;;) {
      try {
        accepted.push((await client.enqueue('quick', {})).key)
      } catch (error) {
        return error as { code: string; message: string }
      }
    }
  }
  return { accepted, refused: run() }
}

function backup(location: string): string {
  const db = new Database(location)
  db.exec(`VACUUM INTO '${location}.backup'`)
  db.close()
  return `${location}.backup`
}

/** A worker with a handler that would go on for a minute, and short jobs that come and go. */
async function atWork(...flags: string[]) {
  const scene = await Scene.open()
  const slow = scene.handler(
    'slow',
    `mark("start"); await new Promise((resolve, reject) => ctx.signal.addEventListener("abort", () => { mark("aborted " + ctx.signal.reason.kind); reject(ctx.signal.reason) }))`,
    "timeout: '10m',",
  )
  const quick = scene.handler('quick', '')
  await scene.enqueue({ type: 'slow' })
  // No lease ends while the store is away.
  const worker = scene.worker([slow, quick, ...flags], { env: { WF_LEASE: '5m' } })
  await scene.marks.until((lines) => lines.includes('start'), 'the slow one runs')
  return { scene, worker }
}

const countOf = (text: string, pattern: RegExp) => text.match(new RegExp(pattern, 'g'))?.length ?? 0

describe('a store that goes away while it is used', () => {
  it.each([[[]], [['--processes', '2']], [['--inline']]])(
    'replaced: the worker %j says so once, stops its handlers and ends with 3',
    async (flags) => {
      const { scene, worker } = await atWork(...flags)
      const { accepted, refused } = await producer(scene.db)
      await eventually(() => accepted.length >= 20, 'jobs are accepted')
      const copy = backup(scene.db)
      const before = accepted.length
      renameSync(copy, scene.db)
      expect(await refused).toMatchObject({
        code: 'store_replaced',
        message: expect.stringContaining(scene.db),
      })
      await worker.exits(3)
      expect(scene.marks.lines).toContain('aborted lease_lost')
      expect(countOf(worker.out, /was replaced/)).toBe(1)
      expect(countOf(worker.err, /was replaced/)).toBe(1)
      expect(worker.err).toContain('try: Stop every process')
      expect(`${worker.out}${worker.err}`).not.toMatch(/trying again|to come back/)
      expect(before).toBeGreaterThan(0)
      const status = wf(['db', 'status', '--store', scene.db, '--json'])
      expect(status.code).toBe(0)
    },
  )

  it('deleted: nothing is accepted from that moment, and the worker ends with 3 when the file has not come back in 5 s', async () => {
    const { scene, worker } = await atWork()
    const { accepted, refused } = await producer(scene.db)
    await eventually(() => accepted.length >= 20, 'jobs are accepted')
    const copy = backup(scene.db)
    for (const end of ['', '-wal', '-shm']) rmSync(`${scene.db}${end}`)
    expect(await refused).toMatchObject({ code: 'store_missing' })
    await worker.says(/it has 5 s to come back/)
    await worker.exits(3)
    expect(scene.marks.lines).toContain('aborted lease_lost')
    expect(countOf(worker.out, /was deleted or moved while it was open: handlers/)).toBe(1)
    renameSync(copy, scene.db)
    expect(wf(['db', 'status', '--store', scene.db]).code).toBe(0)
  })

  it('moved and put back within a moment: what was accepted is done, and the worker works on', async () => {
    const { scene, worker } = await atWork('--grace', '300ms')
    const { accepted, refused } = await producer(scene.db)
    await eventually(() => accepted.length >= 20, 'jobs are accepted')
    renameSync(scene.db, `${scene.db}.aside`)
    expect(await refused).toMatchObject({ code: 'store_missing' })
    await worker.says(/it has 5 s to come back/)
    renameSync(`${scene.db}.aside`, scene.db)
    await worker.says(/the store is there again/)
    const isDone = async (key: number) => (await scene.job(key)).state === 'completed'
    await eventually(
      async () => (await Promise.all(accepted.map(isDone))).every(Boolean),
      'all that was accepted is done',
    )
    expect(scene.marks.lines).toEqual(['start'])
    worker.signal('SIGTERM')
    await worker.exits(0)
  })
})
