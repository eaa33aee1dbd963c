/**
 * Tells of commits by other connections about a millisecond after they are visible, at next to no cost while nothing
 * happens. A write to the WAL file wakes it; `PRAGMA data_version` decides, because the file is written before
 * the commit can be read, by an fsync where SQLite syncs by itself. Notification alone is never relied on: a slow poll stands behind it.
 */
import type { Cancel, Clock } from '../../../clock.ts'
import type { Connection } from './connection.ts'
import { fileWatch } from './file-watch.ts'

/** After a write to the WAL, looks after these many ms, until the commit can be seen. */
const looksAfterMs = [1, 2, 4, 8, 16, 32, 64] as const
/** Between polls beside a watch that has shown that it works, and where none has. */
const provenPollMs = 250
const unprovenPollMs = 50
/** After a change that held nothing for us, no look for this long: a busy neighbour must not cost an idle worker its idleness. */
const shortestRestMs = 5
const longestRestMs = 50
/** While this connection commits by itself as often as this, its own writes are all that a watch would hear. */
const busyCommits = 5
const busyWithinMs = 10
const busyRestMs = 20

export interface WakeUp {
  watch(changed: () => void): () => void
  /** A transaction of this connection has ended. */
  ownCommit(): void
  /** Somebody looked for due jobs, and found some or none. */
  looked(found: boolean): void
  close(): void
}

export function wakeUp(db: Connection, { clock, location }: { clock: Clock; location: string }): WakeUp {
  if (db.memory) return { watch: () => () => {}, ownCommit() {}, looked() {}, close() {} }
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const watch = new CommitWatch({ db, clock, location, changed })
  const end = (entry: () => void) => {
    if (watchers.delete(entry) && watchers.size === 0) watch.stop()
  }
  return {
    watch(told) {
      const entry = () => told()
      watchers.add(entry)
      if (watchers.size === 1) watch.start()
      return () => end(entry)
    },
    ownCommit: () => watch.ownCommit(),
    looked: (found) => watch.looked(found),
    close: () => [...watchers].map(end),
  }
}

interface CommitWatchOptions {
  db: Connection
  clock: Clock
  location: string
  changed(): void
}

/** Either armed (a file watch and a slow poll), or resting (one timer, no watch). */
class CommitWatch {
  readonly #clock: Clock
  readonly #changed: () => void
  readonly #version
  readonly #file
  #running = false
  #resting = false
  #seen = 0
  /** Whether the watch has ever spoken, and changes found since without it. */
  #proven = false
  #missed = 0
  #cancelTimer: Cancel = () => {}
  #cancelLook: Cancel = () => {}
  #restMs = 0
  /** A change was told; whoever looks next shows whether it held anything. */
  #told = false
  #ownStreak = 0
  #ownAtMs = Number.NEGATIVE_INFINITY

  constructor({ db, clock, location, changed }: CommitWatchOptions) {
    this.#clock = clock
    this.#changed = changed
    this.#version = db.prepare<[], number>('PRAGMA data_version').pluck()
    // The WAL exists from the first read on and stays while this connection is open.
    this.#file = fileWatch(`${location}-wal`, () => this.#written())
  }

  start(): void {
    this.#running = true
    this.#seen = this.#current()
    this.#arm()
  }

  stop(): void {
    this.#running = false
    this.#cancelTimer()
    this.#cancelLook()
    this.#file.close()
  }

  ownCommit(): void {
    if (!this.#running) return
    const nowMs = this.#clock.monotonic()
    this.#ownStreak = nowMs - this.#ownAtMs < busyWithinMs ? this.#ownStreak + 1 : 0
    this.#ownAtMs = nowMs
    if (this.#ownStreak >= busyCommits && !this.#resting) this.#rest(busyRestMs)
  }

  looked(found: boolean): void {
    if (!this.#told) return
    this.#told = false
    this.#restMs = found ? 0 : Math.min(longestRestMs, Math.max(shortestRestMs, this.#restMs * 2))
    if (this.#restMs > 0) this.#rest(this.#restMs)
  }

  #arm(): void {
    this.#resting = false
    this.#file.open()
    this.#poll()
    this.#look()
  }

  #rest(ms: number): void {
    if (!this.#running) return
    this.#resting = true
    this.#cancelLook()
    this.#file.close()
    this.#after(ms, () => {
      if (this.#ownStreak >= busyCommits && this.#clock.monotonic() - this.#ownAtMs < busyRestMs) {
        this.#rest(busyRestMs)
        this.#look()
      } else {
        const before = this.#seen
        this.#arm()
        if (this.#seen === before) this.#restMs = 0
      }
    })
  }

  #poll(): void {
    this.#after(this.#proven && this.#file.isOpen() ? provenPollMs : unprovenPollMs, () => {
      this.#file.open()
      if (this.#look()) {
        this.#missed += 1
        if (this.#missed > 1) this.#proven = false
      }
      if (this.#running && !this.#resting) this.#poll()
    })
  }

  /** The WAL file was written, by whomever. */
  #written(): void {
    this.#proven = true
    this.#missed = 0
    this.#cancelLook()
    if (!this.#look()) this.#lookAgain(0)
  }

  #lookAgain(step: number): void {
    const ms = looksAfterMs[step]
    if (ms === undefined || !this.#running || this.#resting) return
    this.#cancelLook = this.#clock.after(ms, () => this.#look() || this.#lookAgain(step + 1), { unref: true })
  }

  /** True when something changed, which has been told by then. */
  #look(): boolean {
    const current = this.#current()
    if (current === this.#seen) return false
    this.#seen = current
    this.#told = true
    this.#changed()
    return true
  }

  /** Called by timers and by the file system, so it throws nothing: what is wrong with the file, the next read or write says. */
  #current(): number {
    try {
      return this.#version.get() ?? this.#seen
    } catch {
      return this.#seen
    }
  }

  #after(ms: number, then: () => void): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(ms, then, { unref: true })
  }
}
