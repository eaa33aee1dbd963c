/** What keeps a job that could run from starting, the strongest first: a pause, an open breaker, nobody there, no slot. */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { Advice, JobFacts } from '../domain/explain-facts.ts'
import { agoWords, because, countWords, inWords } from './explain-messages.ts'

export interface Hold {
  why: string
  next: string
  at: number | null
  commands: readonly Advice[]
}

export function holdOf(facts: JobFacts): Hold | null {
  return (
    paused(facts) ?? heldByBreaker(facts) ?? heldByOwnBreakers(facts) ?? unattended(facts) ?? crowded(facts)
  )
}

function paused({ job, type, now }: JobFacts): Hold | null {
  if (type.pausedAt === null || (type.pausedUntil !== null && type.pausedUntil <= now)) return null
  const { pausedUntil: until } = type
  return {
    why: `The type ${job.type} was paused ${agoWords(type.pausedAt, now)} by ${type.pausedBy ?? 'somebody'}${because(type.pauseReason)}.`,
    next:
      until === null
        ? 'Nothing of this type starts until somebody resumes it.'
        : `Nothing of this type starts until the pause ends by itself ${inWords(until, now)}, or somebody resumes it.`,
    at: until,
    commands: [{ args: ['types', 'resume', job.type], why: 'all its jobs may start again' }],
  }
}

function heldByBreaker({ breakers: [breaker], now }: JobFacts): Hold | null {
  if (breaker === undefined) return null
  const { name } = breaker
  return {
    why: `The breaker of ${name} ${stateOfBreaker(breaker, now)}${because(breaker.reason)}.`,
    next: nextOfBreaker(breaker, now),
    at: breaker.expiresAt === null || breaker.expiresAt <= now ? null : breaker.expiresAt,
    commands: [
      { args: ['breakers', 'show', name], why: 'what opened it' },
      { args: ['breakers', 'close', name], why: 'calls go through at once; it opens again if they fail' },
    ],
  }
}

function stateOfBreaker({ mode, by, who, changedAt }: NamedBreaker, now: number): string {
  if (mode === 'half_open') return 'is half-open'
  return by === 'operator'
    ? `was opened by ${who} ${agoWords(changedAt, now)}`
    : `opened ${agoWords(changedAt, now)} because its calls failed`
}

function nextOfBreaker({ mode, expiresAt, terms }: NamedBreaker, now: number): string {
  const probes = countWords(terms.probes, 'call')
  const after = 'When they succeed, the jobs it held are released little by little.'
  if (mode === 'half_open' || expiresAt === null || expiresAt <= now)
    return `At most ${probes} may try whether it works again. ${after}`
  return `At most ${probes} may try ${inWords(expiresAt, now)}, and no retry is spent by waiting. ${after}`
}

function heldByOwnBreakers({ ownBreakers, now }: JobFacts): Hold | null {
  const [soonest] = [...ownBreakers].sort((a, b) => (a.expiresAt ?? now) - (b.expiresAt ?? now))
  if (soonest === undefined) return null
  const { name, mode, expiresAt } = soonest
  const opens = mode === 'open' && expiresAt !== null && expiresAt > now ? expiresAt : null
  const when = opens === null ? '' : ` ${inWords(opens, now)}, and no retry is spent by waiting`
  return {
    why: `Each worker's own breaker of ${name} ${opens === null ? 'is half-open' : 'is open because its calls failed'}.`,
    next: `A call may try whether it works again${when}. When it succeeds, the jobs it held are released little by little.`,
    at: opens,
    commands: [{ args: ['breakers', 'list'], why: 'how they stand, worker by worker' }],
  }
}

function unattended({ job, type }: JobFacts): Hold | null {
  if (type.workers > 0) return null
  return {
    why: `No living worker handles the type ${job.type}.`,
    next: 'It starts as soon as one does.',
    at: null,
    commands: [
      { args: ['run-worker', 'FILE'], why: `start a worker with a handler of ${job.type}` },
      { args: ['workers', 'list'], why: 'who works now' },
    ],
  }
}

function crowded({ job, type }: JobFacts): Hold | null {
  if (job.state !== 'available' || type.slots === null || type.running < type.slots) return null
  return {
    why: `${type.slots === 1 ? 'The only slot' : `All ${type.slots} slots`} of ${countWords(type.workers, 'worker')} for ${job.type} ${type.slots === 1 ? 'is' : 'are'} taken.`,
    next: `It starts when one is free and its turn has come; ${countWords(type.due, 'job')} of the type ${type.due === 1 ? 'is' : 'are'} due, itself included.`,
    at: null,
    commands: [
      { args: ['jobs', 'list', '--type', job.type, '--state', 'running'], why: 'what takes so long' },
      {
        args: ['run-worker', 'FILE', '--processes', '2'],
        why: 'more workers, if the machine and what the jobs call can bear it',
      },
    ],
  }
}
