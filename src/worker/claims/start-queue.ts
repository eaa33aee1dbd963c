/** Claimed jobs on their way to their handlers: started one after the other, with a breath in between when that takes long. */
import type { Clock } from '../../clock.ts'
import type { ClaimedJob } from '../../domain/job.ts'

/** After this long in starting handlers, signals, timers and answers come first. */
const breathMs = 5

export class Starts {
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
    const isUnderWay = this.#waiting.length > 0
    this.#waiting = [...this.#waiting, ...jobs]
    if (!isUnderWay) this.#run()
  }

  /** What has not started, which now never will. */
  takeBack(): readonly ClaimedJob[] {
    const jobs = this.#waiting
    this.#waiting = []
    return jobs
  }

  readonly #run = (): void => {
    const beganAt = this.#clock.monotonic()
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      this.#start(job)
      if (this.#waiting.length > 0 && this.#clock.monotonic() - beganAt > breathMs) {
        setImmediate(this.#run)
        return
      }
    }
  }
}
