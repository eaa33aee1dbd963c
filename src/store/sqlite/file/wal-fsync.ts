/**
 * Puts what was committed on the disk: an fdatasync of the write-ahead log after the COMMIT. SQLite's own sync inside each
 * COMMIT (`synchronous = FULL`) holds the write lock, the sight of the commit and the event loop for as long as the disk takes;
 * here others see and write meanwhile, and where the disk is slow a thread of Node's pool waits for it instead of the loop.
 * Nothing is acknowledged before the log is synced up to it, and whoever builds on a commit that is not yet synced syncs it
 * along with his own, for a sync is of the whole file. Checkpoints sync by themselves (`synchronous = NORMAL`).
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readdirSync } from 'node:fs'
import type { Clock } from '../../../clock.ts'

/** What the way to a thread of the pool and back costs more than a quick disk: below this the loop does it itself. */
const quickMs = 1
/** Handlers may keep the pool's threads busy (DNS, crypto, files): after this long the loop does it itself. */
const patienceMs = 50
/** A slow sync counts at once, and is forgotten over about twenty quick ones. */
const forgetting = 0.05

export type Synced = (error: Error | null) => void

/** How the disk is asked; not node:fs in tests only. */
export interface DiskCalls {
  here(descriptor: number): void
  inPool(descriptor: number, done: (error: Error | null) => void): void
}

const ofNode: DiskCalls = { here: fdatasyncSync, inPool: fdatasync }

/** The log, opened once for each way of syncing it. */
export interface LogFiles {
  readonly here: number
  readonly pool: number
}

/**
 * Linux tells each opened file once of what could not be written since it was opened. So the log is opened early and kept
 * open, and twice: of two syncs at a time on one descriptor, the one that failed could be told that all is well.
 * Null where that is not known to be so (other systems), or where what lies at `path` is not what SQLite has open: there
 * SQLite must sync by itself. Closing them drops no lock of SQLite's: it has none on its log.
 */
export function openLog(path: string): LogFiles | null {
  if (process.platform !== 'linux') return null
  const files: number[] = []
  try {
    const here = openSync(path, 'r+')
    files.push(here)
    const pool = openSync(path, 'r+')
    files.push(pool)
    if (isOpenBeside(files)) return { here, pool }
  } catch {
    // No such file, no /proc, no descriptor left.
  }
  for (const file of files) closeSync(file)
  return null
}

/** Whether this process has the same file open in yet another way: SQLite's. */
function isOpenBeside(files: readonly number[]): boolean {
  const [ours = -1] = files
  const { dev, ino } = fstatSync(ours, { bigint: true })
  return readdirSync('/proc/self/fd').some((name) => {
    if (files.includes(Number(name))) return false
    try {
      const other = fstatSync(Number(name), { bigint: true })
      return other.dev === dev && other.ino === ino
    } catch {
      // The listing's own descriptor is closed by now.
      return false
    }
  })
}

export class LogSync {
  readonly #clock: Clock
  readonly #disk: DiskCalls
  readonly #files: LogFiles
  /** What a sync takes at present. */
  #usualMs = 0
  /** Calls that the pool has not got round to. */
  #late = 0
  #failure: Error | null = null
  #closed = false
  readonly #failed: () => void

  /** `failed` is called once, at the first failure: before anybody is told of it, and even when nobody waits for a sync. */
  constructor({
    files,
    clock,
    failed,
    disk = ofNode,
  }: { files: LogFiles; clock: Clock; failed: () => void; disk?: DiskCalls }) {
    this.#clock = clock
    this.#disk = disk
    this.#files = files
    this.#failed = failed
  }

  /** What the first sync that failed said: after it no other says anything. */
  get failure(): Error | null {
    return this.#failure
  }

  /** `synced` is called when all that was written before this call is on the disk, or cannot be known to be; perhaps at once. */
  sync(synced: Synced): void {
    if (this.#failure !== null) return synced(this.#failure)
    if (this.#usualMs < quickMs || this.#late > 0) this.#syncHere(synced)
    else this.#syncInPool(synced)
  }

  /** The same, and the event loop waits for it. Throws what the disk said. */
  now(): void {
    if (this.#failure === null) this.#syncHere(() => undefined)
    if (this.#failure !== null) throw this.#failure
  }

  /** Nobody may wait for a sync. Harmless when repeated. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.#files.here)
    if (this.#late === 0) closeSync(this.#files.pool)
  }

  #syncInPool(synced: Synced): void {
    const beganMs = this.#clock.monotonic()
    let late = false
    const cancel = this.#clock.after(patienceMs, () => {
      late = true
      this.#late += 1
      this.#syncHere(synced)
    })
    this.#disk.inPool(this.#files.pool, (error) => {
      if (late) return this.#cameLate(error)
      cancel()
      this.#ended(error, beganMs, synced)
    })
  }

  #cameLate(error: Error | null): void {
    this.#late -= 1
    this.#heard(error)
    if (this.#closed && this.#late === 0) closeSync(this.#files.pool)
  }

  #syncHere(synced: Synced): void {
    const beganMs = this.#clock.monotonic()
    let failure: Error | null = null
    try {
      this.#disk.here(this.#files.here)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    this.#ended(failure, beganMs, synced)
  }

  #ended(error: Error | null, beganMs: number, synced: Synced): void {
    const ms = this.#clock.monotonic() - beganMs
    this.#usualMs =
      ms > this.#usualMs ? (this.#usualMs + ms) / 2 : this.#usualMs + (ms - this.#usualMs) * forgetting
    this.#heard(error)
    synced(this.#failure)
  }

  #heard(error: Error | null): void {
    if (error === null || this.#failure !== null) return
    this.#failure = error
    this.#failed()
  }
}
