/** What must be known of a job to say why it is where it is. Instants are epoch ms of the store's clock. */
import type { LocalBreaker, NamedBreaker } from './breaker-row.ts'
import type { DeadLetter } from './dead-letter.ts'
import type { Incident } from './incident.ts'
import type { Job } from './job.ts'
import type { AttemptRecord } from './outcome.ts'

/** The job's type as the store knows it. */
export interface TypeFacts {
  pausedAt: number | null
  pausedBy: string | null
  pauseReason: string | null
  /** The pause ends by itself then; null where a person must end it. */
  pausedUntil: number | null
  /** Living workers that handle it. */
  workers: number
  /** Handlers that they can run at once; null where no worker has declared the type. */
  slots: number | null
  /** Jobs of the type that run, and that are due. */
  running: number
  due: number
}

/** Who holds a running job, as far as he is still registered. */
export interface HolderFacts {
  label: string
  host: string
  pid: number
  leaseUntil: number
}

export interface JobFacts {
  job: Job
  now: number
  type: TypeFacts
  /** Those of the type that do not let everything through. */
  breakers: readonly NamedBreaker[]
  /** Those that workers share with nobody, where in every worker of the type one of them holds it. */
  ownBreakers: readonly LocalBreaker[]
  /** Null when nobody holds the job, or its holder is not registered any more. */
  holder: HolderFacts | null
  /** Whether a worker lives that could take back what a dead one held. */
  anyWorkerAlive: boolean
  openIncident: Incident | null
  openDeadLetter: DeadLetter | null
  lastAttempt: AttemptRecord | null
  /** Names of steps that may have taken effect without saying so. */
  unknownSteps: readonly string[]
}

export interface Advice {
  /** Words behind `wf`, unquoted; the store is not among them. What a person must fill in is in capitals. */
  args: readonly string[]
  /** What it leads to. */
  why: string
}

/** Finished sentences, in the order of reading. */
export interface Explanation {
  /** Why it is where it is. */
  why: readonly string[]
  /** What happens next, and when. */
  next: readonly string[]
  /** Epoch ms of what happens next; null where no instant is known. */
  at: number | null
  /** What changes it, best first. */
  commands: readonly Advice[]
}
