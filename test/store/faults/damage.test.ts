import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { seededRandom, type Random } from '../../../src/random.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { outcomes, sceneOn } from '../../support/store-scene.ts'
import { refusalOf, startChild, type Child } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { copyOf, freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'

/** What each question and each change came to: `ok`, or the code of the error. */
type Probe = Record<string, string | number>

const told = new Set(['ok', 'store_corrupt', 'store_missing', 'schema_newer'])

const folder = mkdtempSync(join(tmpdir(), 'wf-damage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of a closed store with jobs in every state and some due. */
async function soundStore(): Promise<string> {
  const original = join(folder, 'wf.db')
  if (!existsSync(original)) {
    await everyState(original)
    const store = await openWrite(original)
    await store.enqueue(jobsOf(40, { variables: { text: 'some text' } }), systemClock.now())
    await store.close()
  }
  return copyOf(original)
}

class Prober {
  #child: Child | null = null

  /** Within bounded time, and by a process that lives on; one that dies or hangs fails the test with `what`. */
  async probe(path: string, what: string): Promise<Probe> {
    this.#child ??= await startChild()
    const child = this.#child
    const late = new AbortController()
    const tooLate = systemClock.sleep(120_000, late.signal).then(() => {
      if (!late.signal.aborted) throw new Error(`${what}: no answer within 2 min`)
    })
    try {
      const probe = await Promise.race([child.do<Probe>('probe', { path }), tooLate])
      if (!probe) throw new Error(`${what}: no answer`)
      return probe
    } catch (error) {
      throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      late.abort()
    }
  }
}

/** Every answer is one of the few that say what is wrong, and nothing is claimed from what was found to be damaged. */
function expectTold(probe: Probe, what: string): void {
  const { claimed, ...answers } = probe
  const strange = Object.entries(answers).filter(([, answer]) => !told.has(String(answer)))
  expect(strange, what).toEqual([])
  if (answers['claim'] === 'store_corrupt') expect(claimed, what).toBe(0)
}

function flip(path: string, bytes: number, random: Random): void {
  const content = readFileSync(path)
  for (let count = 0; count < bytes; count++) {
    const at = Math.floor(random() * content.length)
    content[at] = (content[at] ?? 0) ^ (1 + Math.floor(random() * 255))
  }
  writeFileSync(path, content)
}

const wrongs: Readonly<Record<string, (path: string) => void>> = {
  'a wrong magic': (path) => patch(path, 0, Buffer.from('Not a database..')),
  'a header of zeros': (path) => patch(path, 0, Buffer.alloc(100)),
  'one page': (path) => truncateSync(path, 4_096),
  'half a page': (path) => truncateSync(path, 2_000),
  'half of the file': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'all pages but the last': (path) => truncateSync(path, statSync(path).size - 4_096),
  'the second half as zeros': (path) =>
    patch(path, Math.floor(statSync(path).size / 2), Buffer.alloc(Math.ceil(statSync(path).size / 2))),
  text: (path) => writeFileSync(path, 'this is not a database\n'.repeat(500)),
}

function patch(path: string, at: number, bytes: Buffer): void {
  const content = readFileSync(path)
  bytes.copy(content, at)
  writeFileSync(path, content)
}

/** A store whose last commits are only in its log, as after a kill of every process that had it open. */
async function killedStore(jobs: number): Promise<string> {
  const path = await soundStore()
  const child = await startChild()
  await child.do('open', { path })
  for (let count = 0; count < jobs; count++)
    await child.call('enqueue', jobsOf(1, { type: 'late' }), systemClock.now())
  await child.kill()
  return path
}

/** What is wrong with the log or the shared memory beside a store; the file itself is sound. */
const wrongsBeside: Readonly<Record<string, (path: string, random: Random) => void | Promise<void>>> = {
  'the log of another store': async (path) => cpSync(`${await killedStore(30)}-wal`, `${path}-wal`),
  'a log of random bytes': (path, random) =>
    writeFileSync(`${path}-wal`, Buffer.from(Array.from({ length: 50_000 }, () => random() * 256))),
  'a log that was cut': (path, random) =>
    truncateSync(`${path}-wal`, Math.floor(statSync(`${path}-wal`).size * random())),
  'a log with flipped bytes': (path, random) => flip(`${path}-wal`, 100, random),
  'shared memory of random bytes': (path, random) =>
    writeFileSync(`${path}-shm`, Buffer.from(Array.from({ length: 32_768 }, () => random() * 256))),
}

describe('a damaged store', () => {
  it.each(Object.entries(wrongsBeside))(
    // B090
    'beside which lies %s: everything ends in time, says what is wrong, and no process dies',
    async (what, wrong) => {
      const killed = await killedStore(20)
      const prober = new Prober()
      for (let seed = 1; seed <= (long ? 50 : 5); seed++) {
        const path = copyOf(killed)
        await wrong(path, seededRandom(seed))
        expectTold(await prober.probe(path, `seed ${seed}, ${what}`), `seed ${seed}, ${what}`)
      }
    },
  )

  // B090
  it('whose log was cut keeps every commit before the cut, and is sound', async () => {
    const killed = await killedStore(20)
    let kept = 0
    for (let share = 1; share <= 10; share++) {
      const path = copyOf(killed)
      truncateSync(`${path}-wal`, Math.floor((statSync(`${path}-wal`).size * share) / 10))
      const store = await openWrite(path)
      const { items } = await store.jobs({ types: ['late'] }, { limit: 100 })
      await store.close()
      expect(checkInvariantsOf(path)).toEqual([])
      expect(items.length).toBeGreaterThanOrEqual(kept)
      kept = items.length
    }
    expect(kept).toBe(20)
  })

  it.each(['cut to nothing', 'taken away'])(
    // B090
    'whose file was %s while its last commits lie in the log is not made anew over them',
    async (what) => {
      const path = copyOf(await killedStore(5))
      if (what === 'taken away') rmSync(path)
      else truncateSync(path, 0)
      const log = readFileSync(`${path}-wal`)
      const probe = await new Prober().probe(path, what)
      expect(probe).toEqual({ 'open to read': 'store_corrupt', 'open to write': 'store_corrupt' })
      expect(readFileSync(`${path}-wal`).equals(log)).toBe(true)
      rmSync(`${path}-wal`)
      expect(await (await openWrite(path)).enqueue(jobsOf(1), 1)).toEqual([{ status: 'created', key: 1 }])
    },
  )

  // B090
  it('that is found to be damaged by one write takes no other, and gives no more jobs away', async () => {
    const path = await soundStore()
    const db = openRaw(path)
    const page = db
      .prepare("SELECT pageno FROM dbstat WHERE name = 'wf_incidents_job' LIMIT 1")
      .pluck()
      .get() as number
    db.close()
    patch(path, (page - 1) * 4_096, Buffer.alloc(4_096, 0xff))
    const scene = sceneOn({
      store: await openWrite(path),
      clock: createFakeClock(systemClock.now() + 1_000),
      another: null,
      faults: () => [],
    })
    await scene.join('w#2')
    const [job, ...others] = await scene.claim({ workerId: 'w#2', limit: 3 })
    if (!job) throw new Error('nothing to claim')
    expect(others).toHaveLength(2)
    const damaged = { code: 'store_corrupt', hint: expect.stringMatching(/Restore a backup.*\.recover/) }
    const behind = [scene.settle(job, outcomes.raised()), scene.add(), scene.claim({ workerId: 'w#2' })]
    for (const refused of await Promise.all(behind.map(refusalOf))) expect(refused).toMatchObject(damaged)
    for (const write of [
      () => scene.add(),
      () => scene.claim({ workerId: 'w#2' }),
      () => scene.settle(job, outcomes.success()),
    ]) {
      expect(await refusalOf(write())).toMatchObject(damaged)
    }
    // What can still be read is shown.
    expect(await scene.store.counts()).toMatchObject({ running: 4 })
  })

  // B090
  it('with one row that breaks the rules of its table: no claim, and words that lead to the row', async () => {
    const path = await soundStore()
    const db = openRaw(path)
    db.pragma('ignore_check_constraints = ON')
    db.exec(
      "UPDATE wf_jobs SET finished_at = 7 WHERE state = 'available' AND key = (SELECT min(key) FROM wf_jobs WHERE state = 'available')",
    )
    db.close()
    const scene = sceneOn({
      store: await openWrite(path),
      clock: createFakeClock(systemClock.now() + 1_000),
      another: null,
      faults: () => [],
    })
    await scene.join('w#2')
    const refused = await refusalOf(scene.claim({ workerId: 'w#2' }))
    expect(refused).toMatchObject({
      code: 'store_corrupt',
      message: expect.stringMatching(/^job 9 breaks a rule of wf_jobs/),
    })
    expect(await scene.store.counts()).toMatchObject({ running: 1 })
  })

  // B090
  it('whose file can no longer be read ends no process by its watch: the next question is told', async () => {
    const path = freshPath()
    const clock = createFakeClock()
    const store = await openWrite(path, { clock })
    const end = store.watch(() => expect.unreachable())
    dbOf(store).close()
    await clock.advance(2_000)
    expect(await refusalOf(store.version())).toMatchObject({ code: 'store_unavailable' })
    end()
  })

  it.each(Object.entries(wrongs))(
    // B090
    'that is %s is named as damaged by everything that is asked of it, and nothing is claimed',
    async (what, wrong) => {
      const path = await soundStore()
      wrong(path)
      const probe = await new Prober().probe(path, what)
      expectTold(probe, what)
      expect(
        [probe['open to read'], probe['jobs'], probe['open to write'], probe['claim']],
        JSON.stringify(probe),
      ).toContain('store_corrupt')
      expect(probe['claimed'] ?? 0).toBe(0)
    },
  )

  // B090
  it('with random bytes flipped: every question and every change ends in time, with a code that says what is wrong, and no process dies', async () => {
    const seeds = long ? 500 : 60
    const first = Number(process.env['WF_SEED'] ?? 1)
    const sound = await soundStore()
    const prober = new Prober()
    let noticed = 0
    for (let seed = first; seed < first + seeds; seed++) {
      const path = copyOf(sound)
      const bytes = [1, 100, 10_000][seed % 3] ?? 1
      const what = `seed ${seed}, ${bytes} bytes flipped`
      flip(path, bytes, seededRandom(seed))
      const probe = await prober.probe(path, what)
      expectTold(probe, what)
      if (Object.values(probe).includes('store_corrupt')) noticed += 1
      else expect(bytes, what).toBeLessThan(10_000)
    }
    expect(noticed).toBeGreaterThan(seeds / 3)
  })
})
