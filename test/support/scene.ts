/** A store, handlers and workers of a test's own, in a folder of its own. Jobs are handed in and looked at without a process. */
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { openStore } from '../../src/app.ts'
import { finalStates, type Job, type JobState } from '../../src/domain/job.ts'
import type { EnqueueInput } from '../../src/domain/new-job.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { createEvents } from '../../src/engine/events.ts'
import { systemRandom } from '../../src/random.ts'
import { checkInvariantsOf } from '../../src/store/sqlite/check-invariants.ts'
import type { Store } from '../../src/store/port.ts'
import {
  eventually,
  freshFolder,
  Marks,
  startWf,
  wf,
  writeHandler,
  type Running,
  type RunOptions,
} from './processes.ts'
import type { JobDetail } from '../../src/store/views.ts'

const open: Scene[] = []

afterEach(async () => {
  for (const scene of open.splice(0)) {
    await scene.store.close()
    expect(checkInvariantsOf(scene.db), 'what must hold in every store').toEqual([])
  }
})

export class Scene {
  readonly folder: string
  readonly db: string
  readonly marks: Marks
  readonly store: Store
  readonly engine: Engine

  private constructor(store: Store, folder: string, db: string) {
    this.folder = folder
    this.db = db
    this.marks = new Marks(folder)
    this.store = store
    this.engine = createEngine({ store, random: systemRandom, events: createEvents() })
  }

  static async open(): Promise<Scene> {
    const folder = freshFolder()
    const db = join(folder, 'wf.db')
    const store = await openStore({ location: db, mode: 'write', create: true })
    const scene = new Scene(store, folder, db)
    open.push(scene)
    return scene
  }

  /** `run` is the text of an async function of (job, ctx, mark): mark(line) appends to the marks. */
  handler(type: string, run: string, more = ''): string {
    return writeHandler(this.folder, `${type}.mjs`, moduleText(this.marks.path, type, run, more))
  }

  /** Keys, in order. */
  async enqueue(...inputs: readonly (Partial<EnqueueInput> & { type: string })[]): Promise<number[]> {
    const enqueued = await this.engine.enqueue(inputs.map((input) => ({ variables: {}, ...input })))
    return enqueued.map((each) => {
      if (each.status === 'refused') throw new Error(`refused: ${each.reason}`)
      return each.key
    })
  }

  /** `wf run-worker` on this store, going on. */
  worker(args: readonly string[], options: RunOptions = {}): Running {
    return startWf(['run-worker', ...args, '--store', this.db], options)
  }

  /** Any process of the test. */
  start(args: readonly string[], options: RunOptions): Running {
    return startWf(args, options)
  }

  wf(args: readonly string[]): ReturnType<typeof wf> {
    return wf([...args, '--store', this.db])
  }

  async detail(key: number): Promise<JobDetail> {
    const detail = await this.store.job(key)
    if (!detail) throw new Error(`there is no job ${key}`)
    return detail
  }

  async job(key: number): Promise<Job> {
    return (await this.detail(key)).job
  }

  /** The outcomes of its attempts, in order. */
  async outcomes(key: number): Promise<string[]> {
    return (await this.detail(key)).attempts.map(({ outcome }) => outcome)
  }

  async until(key: number, state: JobState, mostMs?: number): Promise<Job> {
    return eventually(
      async () => {
        const job = await this.job(key)
        if (job.state !== state && finalStates.includes(job.state))
          throw new Error(`job ${key} is ${job.state} and will never be ${state}`)
        return job.state === state && job
      },
      `job ${key} is ${state}`,
      mostMs,
    )
  }

  async counts(): Promise<Partial<Record<JobState, number>>> {
    const all: Partial<Record<JobState, number>> = {}
    let cursor: string | undefined
    do {
      const page = await this.store.jobs({}, { limit: 1000, ...(cursor ? { cursor } : {}) })
      for (const { state } of page.items) all[state] = (all[state] ?? 0) + 1
      cursor = page.next ?? undefined
    } while (cursor)
    return all
  }
}

function moduleText(marksPath: string, type: string, run: string, more: string): string {
  return `import { appendFileSync } from 'node:fs'
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); }
const mark = (line) => appendFileSync(${JSON.stringify(marksPath)}, line + '\\n')
export default { type: ${JSON.stringify(type)}, ${more} async run(job, ctx) { const { variables } = job; ${run} } }
`
}
