/** Counts and logs errors that no handler caught, with the jobs that may have caused them. */
import type { Job } from '../../domain/job.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { logPanic } from '../worker-messages.ts'

const maxLines = 5
const remembered = 3

export interface PanicReportOptions {
  engine: Pick<Engine, 'events'>
  handlers: ReadonlyMap<string, LoadedHandler>
  log: Logger
}

export class PanicReport {
  readonly #options: PanicReportOptions
  #count = 0
  /** The last few jobs that ended, newest first: what they left running may still fail. */
  #justEnded: readonly Job[] = []

  constructor(options: PanicReportOptions) {
    this.#options = options
  }

  ended(job: Job): void {
    this.#justEnded = [job, ...this.#justEnded.slice(0, remembered - 1)]
  }

  report(error: unknown, running: readonly Job[]): void {
    const { log, engine, handlers } = this.#options
    const [type, another] = new Set([...running, ...this.#justEnded].map((job) => job.type))
    const [only, more] = type === undefined ? handlers.keys() : [type, another]
    const labels = { type: more === undefined ? (only ?? 'unknown') : 'unknown' }
    engine.events.emit('counted', { metric: 'wf_worker_panics_total', labels, value: 1 })
    if (this.#count++ < maxLines) logPanic(log, error, { running, ended: this.#justEnded })
  }
}
