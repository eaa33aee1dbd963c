import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { seededRandom, type Random } from '../../../src/random.ts'
import { bundledScript } from '../../support/bundled-script.ts'
import { freshPath } from './support/files.ts'
import { long } from '../../support/long.ts'
import { canRecord, Disk, record, type RecordOptions } from './support/recorded-disk.ts'

const script = await bundledScript(fileURLToPath(new URL('support/power-script.mjs', import.meta.url)))

interface Acknowledged {
  accepted: Set<number>
  completed: Set<number>
}

/** What is missing of what was acknowledged when the power goes now; and what the engine says of the file. */
function lossesOf(
  disk: Disk,
  path: string,
  { accepted, completed }: Acknowledged,
  random?: Random,
): string[] {
  const place = join(dirname(path), 'after.db')
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${place}${end}`, { force: true })
  for (const end of ['', '-wal', '-journal']) {
    const content = disk.content(`${path}${end}`, random)
    if (content !== null) writeFileSync(`${place}${end}`, content)
  }
  const db = new Database(place)
  try {
    const sound = db.pragma('quick_check(1)', { simple: true })
    if (sound !== 'ok') return [`damaged: ${String(sound)}`]
    const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'wf_jobs'").get() !== undefined
    const keys = (where: string) =>
      new Set(there ? (db.prepare(`SELECT key FROM wf_jobs WHERE ${where}`).pluck().all() as number[]) : [])
    const [jobs, done] = [keys('TRUE'), keys("state = 'completed'")]
    return [
      ...[...accepted].filter((key) => !jobs.has(key)).map((key) => `job ${key} was accepted and is gone`),
      ...[...completed].filter((key) => !done.has(key)).map((key) => `job ${key} was completed and is not`),
    ]
  } finally {
    db.close()
  }
}

interface Run {
  path: string
  /** What one process after another called. */
  calls: ReturnType<typeof record>
  seed: number
}

/** Cuts the power at every sync, and between them with some of the last writes on the disk and some not. */
function cutEverywhere({ path, calls, seed }: Run): { losses: string[]; cuts: number; accepted: number } {
  const random = seededRandom(seed)
  const disk = new Disk()
  const acknowledged: Acknowledged = { accepted: new Set(), completed: new Set() }
  const losses: string[] = []
  let cuts = 0
  const cut = (at: number, torn?: Random) => {
    cuts += 1
    for (const loss of lossesOf(disk, path, acknowledged, torn))
      losses.push(`call ${at}${torn ? ', torn' : ''}: ${loss}`)
  }
  for (const [at, call] of calls.entries()) {
    disk.apply(call)
    if (call.kind === 'said') {
      for (const [, what, keys = ''] of call.text.matchAll(/(accepted|completed) ([\d ]+)/g)) {
        for (const key of keys.split(' ')) acknowledged[what as keyof Acknowledged].add(Number(key))
      }
      cut(at)
      if (long || random() < 0.5) cut(at, random)
    } else if (call.kind === 'sync') {
      if (long || random() < 0.3) cut(at)
    } else if (random() < (long ? 0.1 : 0.02)) cut(at, random)
  }
  return { losses, cuts, accepted: acknowledged.accepted.size }
}

function runOf(
  path: string,
  durability: 'power' | 'process',
  rounds: number,
  options: RecordOptions = {},
): ReturnType<typeof record> {
  return record([script, path, durability, String(rounds)], join(dirname(path), 'calls'), options)
}

describe.skipIf(!canRecord)('when the power goes', () => {
  // B091
  it('at any sync and between any two writes, everything acknowledged is on the disk, and the file is sound', () => {
    const seed = Number(process.env['WF_SEED'] ?? 1)
    const path = freshPath()
    const rounds = long ? 60 : 24
    const { losses, cuts, accepted } = cutEverywhere({ path, seed, calls: runOf(path, 'power', rounds) })
    expect(accepted, 'what the process said was recorded').toBe(rounds * 2)
    expect(losses.slice(0, 5), `seed ${seed}`).toEqual([])
    expect(cuts).toBeGreaterThan(50)
  })

  // B091
  it('what `durability: process` gives up is the last commits, and never the soundness of the file', () => {
    const path = freshPath()
    const { losses } = cutEverywhere({ path, seed: 2, calls: runOf(path, 'process', long ? 60 : 8) })
    // This also shows that the test above would see a loss.
    expect(losses.length).toBeGreaterThan(0)
    expect(losses.filter((loss) => loss.includes('damaged'))).toEqual([])
  })

  // B093
  it.each([3, 8])(
    'after sync %i failed, nothing that was or will be acknowledged is lost, and the file is sound',
    (failingSync) => {
      const seed = Number(process.env['WF_SEED'] ?? failingSync)
      const path = freshPath()
      const first = runOf(path, 'power', 24, { failingSync, env: { UV_THREADPOOL_SIZE: '1' } })
      expect(first.filter(({ kind }) => kind === 'lost').length, 'a sync failed').toBe(1)
      expect(existsSync(`${path}-unsynced`)).toBe(true)
      // Starts anew on a disk that works again, but without what it could not write.
      const second = runOf(path, 'power', 8)
      expect(existsSync(`${path}-unsynced`)).toBe(false)
      const { losses, accepted } = cutEverywhere({ path, seed, calls: [...first, ...second] })
      expect(accepted).toBeGreaterThan(16)
      expect(losses.slice(0, 5), `seed ${seed}`).toEqual([])
    },
  )
})
