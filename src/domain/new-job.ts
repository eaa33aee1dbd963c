/** From what a producer says to a NewJob: every value checked, every default filled in. */
import type { NewJob } from './job.ts'

/** What a producer may say. Instants are epoch ms or Dates; durations ms or text like `30s`. */
export interface EnqueueInput {
  type: string
  variables?: object
  /** Higher is claimed first; whole, −1,000,000 … 1,000,000; default 0. */
  priority?: number
  /** Not before this long from now. Not together with `at`. */
  delay?: number | string
  at?: number | Date
  /** Executions, 1 … 1,000; default: the handler's, else 3. */
  retries?: number
  /** Same type, key and variables: the same job. */
  idempotencyKey?: string
  /** Last instant at which an attempt may start, or how long from now. */
  deadline?: number | string | Date
  parentKey?: number
}

export declare function newJob(input: EnqueueInput, now: number): NewJob
