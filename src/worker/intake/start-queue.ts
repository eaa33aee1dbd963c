/** Claimed jobs that have not started: started in order, with a turn of the event loop in between when that takes long. */
import type { Clock } from '../../clock.ts'
import type { ClaimedJob } from '../../domain/job.ts'

/** After this long in starting handlers, signals, timers and I/O get their turn. */
const turnMs = 5

export class StartQueue {
  readonly #clock: Clock
  readonly #start: (job: ClaimedJob) => void
  #waiting: ClaimedJob[] = []

  constructor(clock: Clock, start: (job: ClaimedJob) => void) {
    this.#clock = clock
    this.#start = start
  }

  get waiting(): readonly ClaimedJob[] {
    return this.#waiting
  }

  add(jobs: readonly ClaimedJob[]): void {
    const isRunning = this.#waiting.length > 0
    this.#waiting = [...this.#waiting, ...jobs]
    if (!isRunning) this.#run()
  }

  /** Empties the queue; returns the jobs that were in it. */
  takeBack(): readonly ClaimedJob[] {
    const jobs = this.#waiting
    this.#waiting = []
    return jobs
  }

  readonly #run = (): void => {
    const beganAt = this.#clock.monotonic()
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      this.#start(job)
      if (this.#waiting.length > 0 && this.#clock.monotonic() - beganAt > turnMs) {
        setImmediate(this.#run)
        return
      }
    }
  }
}
