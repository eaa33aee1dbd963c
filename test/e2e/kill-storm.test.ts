import { describe, expect, it } from 'vitest'
import { seededRandom, type Random } from '../../src/random.ts'
import { childrenOf, kill, shortLease, type Running } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

const long = process.env['WF_STORM'] === 'long'
const storm = long ? { jobs: 20_000, kills: 300 } : { jobs: 2000, kills: 30 }
// So near to WF_STORE that every wf would take it for a slip.
delete process.env['WF_STORM']
const seed = Number(process.env['WF_STORM_SEED'] ?? Date.now() % 1_000_000)

/** Two supervisors of two processes each; a supervisor that is killed is started again, as a service manager would. */
class Fleet {
  readonly kills = { children: 0, supervisors: 0 }
  #supervisors: Running[] = []
  readonly #start: () => Running
  readonly #random: Random

  constructor(start: () => Running, random: Random) {
    this.#start = start
    this.#random = random
    this.#supervisors = [start(), start()]
  }

  /** Kills one process that is there; now and then a supervisor. */
  async strike(): Promise<void> {
    const index = Math.floor(this.#random() * this.#supervisors.length)
    const supervisor = this.#supervisors[index]
    if (!supervisor) return
    if (supervisor.hasEnded) return this.#restart(index)
    const children = childrenOf(supervisor.pid)
    const child = children[Math.floor(this.#random() * children.length)]
    if (child === undefined) return
    if (this.#random() < 0.75) {
      if (kill(child, 'SIGKILL')) this.kills.children++
      return
    }
    kill(supervisor.pid, 'SIGKILL')
    await supervisor.ended
    this.kills.supervisors++
    this.#restart(index)
  }

  #restart(index: number): void {
    this.#supervisors[index] = this.#start()
  }

  get total(): number {
    return this.kills.children + this.kills.supervisors
  }

  async end(): Promise<void> {
    for (const supervisor of this.#supervisors) kill(supervisor.pid, 'SIGTERM')
    for (const supervisor of this.#supervisors) {
      const { code, signal } = await supervisor.saidAll()
      // The signal itself: it had only just been started, and listened to nothing yet.
      // Or five kills in a row met processes that had finished nothing yet: then it ends, for its service manager to look.
      const gaveUp = code === 1 && /5 worker processes ended/.test(supervisor.err)
      if (code !== 0 && signal !== 'SIGTERM' && !gaveUp)
        throw new Error(`ended with ${code ?? signal}:\n${supervisor.said}`)
    }
  }
}

/** Runs what is left to its end; what chance made a crash loop is resolved first, as a person would. */
async function drain(scene: Scene, file: string): Promise<number> {
  let resolved = 0
  for (;;) {
    await scene.worker([file, '--until-empty'], { env: { WF_LOG_LEVEL: 'warn', DRAINS: '1' } }).ended
    const { items } = await scene.store.incidents({}, { limit: 1000 })
    expect(items.filter(({ kind }) => kind !== 'crash_loop')).toEqual([])
    if (items.length === 0) return resolved
    await scene.engine.resolve(
      items.map(({ jobKey }) => ({
        jobKey,
        verb: 'resolve' as const,
        retries: 3,
        who: 'test',
        reason: null,
      })),
    )
    resolved += items.length
  }
}

/** Every start that was not the one that completed the job has its row. */
async function unexplained(scene: Scene, keys: readonly number[]): Promise<string[]> {
  const starts = new Map<number, number[]>()
  for (const line of scene.marks.lines) {
    const [key = 0, attempt = 0] = line.split(' ').map(Number)
    starts.set(key, [...(starts.get(key) ?? []), attempt])
  }
  const faults: string[] = []
  for (const key of keys) {
    const { job, attempts } = await scene.detail(key)
    const own = starts.get(key) ?? []
    if (job.state !== 'completed') faults.push(`${key} is ${job.state}`)
    if (new Set(own).size !== own.length) faults.push(`${key} started one attempt twice: ${own.join(' ')}`)
    if (attempts.filter(({ outcome }) => outcome === 'success').length !== 1)
      faults.push(`${key} did not succeed exactly once`)
    for (const attempt of own.filter((number) => number !== job.attempt)) {
      const row = attempts.find(
        (each) => each.attempt === attempt && (each.outcome === 'lost' || each.outcome === 'interrupted'),
      )
      if (!row) faults.push(`${key} started attempt ${attempt}, and nothing says how it ended`)
    }
  }
  return faults
}

describe('a storm of kills', () => {
  it(
    // A06 B012
    `${storm.kills} kill -9s of children and supervisors under ${storm.jobs} jobs: none lost, none completed twice, every extra start explained`,
    async () => {
      console.log(`storm with WF_STORM_SEED=${seed}`)
      const random = seededRandom(seed)
      const scene = await Scene.open()
      const file = scene.handler(
        'work',
        'mark(job.key + " " + job.attempt); await sleep(variables.ms)',
        'concurrency: process.env.DRAINS ? 50 : 3,',
      )
      const keys: number[] = []
      for (let batch = 0; batch < storm.jobs; batch += 500) {
        const jobs = Array.from({ length: Math.min(500, storm.jobs - batch) }, () => ({
          type: 'work',
          variables: { ms: 10 + Math.floor(random() * 60) },
        }))
        keys.push(...(await scene.enqueue(...jobs)))
      }
      const fleet = new Fleet(
        () =>
          scene.worker([file, '--processes', '2', '--grace', '2s'], {
            env: { ...shortLease, WF_LOG_LEVEL: 'warn' },
          }),
        random,
      )
      await scene.marks.until((lines) => lines.length > 20, 'the fleet works')
      while (fleet.total < storm.kills) {
        await fleet.strike()
        await new Promise((resolve) => setTimeout(resolve, 100 + random() * 450))
      }
      await fleet.end()
      const resolved = await drain(scene, file)
      const lost = (await Promise.all(keys.map((key) => scene.outcomes(key))))
        .flat()
        .filter((outcome) => outcome === 'lost').length
      console.log(
        `killed ${fleet.kills.children} children and ${fleet.kills.supervisors} supervisors; ${lost} attempts lost, ${resolved} crash loops resolved`,
      )
      expect(await scene.counts()).toEqual({ completed: storm.jobs })
      expect(await unexplained(scene, keys)).toEqual([])
      expect(lost, 'kills that hit a running job').toBeGreaterThan(0)
    },
    long ? 1_200_000 : 300_000,
  )
})
