/** A job in a worker's hands, or in the hands of one that is dead. */
import type { Advice, Explanation, JobFacts } from '../domain/explain-facts.ts'
import { agoWords, inWords } from './explain-messages.ts'

/** Beyond its timeout, for a handler that does not let go. */
const runUntilMarginMs = 60_000

export function explainRunning(facts: JobFacts): Explanation {
  const { job, now, holder } = facts
  const claimOver = job.runUntil !== null && job.runUntil <= now
  return holder === null || holder.leaseUntil <= now || claimOver ? leftBehind(facts) : inHands(facts, holder)
}

const cancel = (key: number): Advice => ({
  args: ['jobs', 'cancel', String(key)],
  why: "its handler's signal aborts, and what it reports afterwards is not applied",
})

function inHands({ job, now }: JobFacts, { label, host, pid }: NonNullable<JobFacts['holder']>): Explanation {
  const timeoutAt = job.runUntil === null ? null : job.runUntil - runUntilMarginMs
  return {
    why: [
      `Attempt ${job.attempt} started ${agoWords(job.startedAt ?? now, now)} on worker ${label} (process ${pid} on ${host}), which is alive.`,
    ],
    next: [nextOf(timeoutAt, now)],
    at: timeoutAt === null || timeoutAt <= now ? job.runUntil : timeoutAt,
    commands: [cancel(job.key)],
  }
}

function nextOf(timeoutAt: number | null, now: number): string {
  if (timeoutAt === null) return 'It ends when its handler does.'
  if (timeoutAt > now)
    return `It ends when its handler does, at the latest by its timeout ${inWords(timeoutAt, now)}.`
  return 'Its timeout has passed: its worker gives it up, and that counts as a failure.'
}

function leftBehind(facts: JobFacts): Explanation {
  const { job, now, anyWorkerAlive } = facts
  return {
    why: [
      `Attempt ${job.attempt} was started ${agoWords(job.startedAt ?? now, now)}, but ${lossWords(facts)}.`,
    ],
    next: [
      anyWorkerAlive
        ? 'A living worker takes it back with its next sweep, within about half a minute, and it starts again; no retry is spent.'
        : 'Nobody takes it back, because no worker is alive. The first one that starts does.',
    ],
    at: null,
    commands: [
      { args: ['workers', 'list'], why: 'who is alive' },
      ...(anyWorkerAlive ? [] : [{ args: ['run-worker', 'FILE'], why: 'takes it back and goes on' }]),
      cancel(job.key),
    ],
  }
}

function lossWords({ job, now, holder }: JobFacts): string {
  const worker = job.workerId ?? 'that claimed it'
  if (holder === null) return `its worker ${worker} is not registered any more`
  if (holder.leaseUntil <= now)
    return `the lease of its worker ${worker} ended ${agoWords(holder.leaseUntil, now)}`
  return `its time ended ${agoWords(job.runUntil ?? now, now)}`
}
