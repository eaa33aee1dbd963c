/**
 * Reports commits of other connections about 1 ms after they become visible, at almost no cost while nothing
 * happens. A write to the WAL file wakes it; `PRAGMA data_version` decides, because the file is written before
 * the commit can be read, by an fsync if SQLite syncs itself. A slow poll backs the notification.
 */
import type { Cancel, Clock } from '../../../clock.ts'
import type { Connection } from './connection.ts'
import { fileWatch } from './file-watch.ts'

/** After a write to the WAL: delays in ms of the checks until the commit is visible. */
const checksAfterMs = [1, 2, 4, 8, 16, 32, 64] as const
/** Poll intervals with a watch that has proved to work, and without one. */
const provenPollMs = 250
const unprovenPollMs = 50
/** Minimum time between checks after a change without due jobs, so that a busy neighbour costs an idle worker little. */
const shortestRestMs = 5
const longestRestMs = 50
/** While this connection commits this often itself, a watch would mostly report its own writes. */
const busyCommits = 5
const busyWithinMs = 10
const busyRestMs = 20

export interface WakeUp {
  watch(changed: () => void): () => void
  /** A transaction of this connection has ended. */
  ownCommit(): void
  /** Called after each check for due jobs. */
  checkedDue(found: boolean): void
  close(): void
}

export function wakeUp(db: Connection, { clock, location }: { clock: Clock; location: string }): WakeUp {
  if (db.memory) return { watch: () => () => {}, ownCommit() {}, checkedDue() {}, close() {} }
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
    checkedDue: (found) => watch.checkedDue(found),
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
  /** Whether the watch has ever reported a write, and the changes since then that it missed. */
  #proven = false
  #missed = 0
  #cancelTimer: Cancel = () => {}
  #cancelCheck: Cancel = () => {}
  #restMs = 0
  /** A change was reported; the next check for due jobs shows whether it mattered. */
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
    this.#cancelCheck()
    this.#file.close()
  }

  ownCommit(): void {
    if (!this.#running) return
    const nowMs = this.#clock.monotonic()
    this.#ownStreak = nowMs - this.#ownAtMs < busyWithinMs ? this.#ownStreak + 1 : 0
    this.#ownAtMs = nowMs
    if (this.#ownStreak >= busyCommits && !this.#resting) this.#rest(busyRestMs)
  }

  checkedDue(found: boolean): void {
    if (!this.#told) return
    this.#told = false
    this.#restMs = found ? 0 : Math.min(longestRestMs, Math.max(shortestRestMs, this.#restMs * 2))
    if (this.#restMs > 0) this.#rest(this.#restMs)
  }

  #arm(): void {
    this.#resting = false
    this.#file.open()
    this.#poll()
    this.#check()
  }

  #rest(ms: number): void {
    if (!this.#running) return
    this.#resting = true
    this.#cancelCheck()
    this.#file.close()
    this.#after(ms, () => {
      if (this.#ownStreak >= busyCommits && this.#clock.monotonic() - this.#ownAtMs < busyRestMs) {
        this.#rest(busyRestMs)
        this.#check()
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
      if (this.#check()) {
        this.#missed += 1
        if (this.#missed > 1) this.#proven = false
      }
      if (this.#running && !this.#resting) this.#poll()
    })
  }

  /** Some process wrote the WAL file. */
  #written(): void {
    this.#proven = true
    this.#missed = 0
    this.#cancelCheck()
    if (!this.#check()) this.#checkAgain(0)
  }

  #checkAgain(step: number): void {
    const ms = checksAfterMs[step]
    if (ms === undefined || !this.#running || this.#resting) return
    this.#cancelCheck = this.#clock.after(ms, () => this.#check() || this.#checkAgain(step + 1), {
      unref: true,
    })
  }

  /** Returns true if something changed, after reporting it. */
  #check(): boolean {
    const current = this.#current()
    if (current === this.#seen) return false
    this.#seen = current
    this.#told = true
    this.#changed()
    return true
  }

  /** Called by timers and the file system, so it never throws: the next read or write reports a broken file. */
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
