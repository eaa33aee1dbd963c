/** What a selector means, said once more without any store: of what a store tells of each job, what fits, and in which order. */
import type { DeadLetter } from '../../src/domain/dead-letter.ts'
import type { Incident } from '../../src/domain/incident.ts'
import type { Job } from '../../src/domain/job.ts'
import type { ErrorMatch, Selector, WhereCondition } from '../../src/domain/selector.ts'
import { parsePath } from '../../src/domain/variable-path.ts'
import type { JobDetail } from '../../src/store/views.ts'

/** A job with all that a store tells of it; the variables of its dead letter are a copy of their own. */
export interface Known extends JobDetail {
  letterVariables: string | null
}

type Said = { name: string; message: string; code: string | null }

export function jobsMeant(all: readonly Known[], selector: Selector, sort = 'newest'): readonly Job[] {
  return ordered(
    all.filter((known) => jobFits(known, selector)).map(({ job }) => job),
    jobOrders[sort],
  )
}

export function incidentsMeant(
  all: readonly Known[],
  selector: Selector,
  sort = 'newest',
): readonly Incident[] {
  const own = all.flatMap((known) =>
    known.incidents.filter((incident) => incidentFits(incident, known, selector)),
  )
  return ordered(own, incidentOrders[sort])
}

export function lettersMeant(
  all: readonly Known[],
  selector: Selector,
  sort = 'newest',
): readonly DeadLetter[] {
  const own = all.flatMap((known) =>
    known.deadLetter !== null && letterFits(known.deadLetter, known, selector) ? [known.deadLetter] : [],
  )
  return ordered(own, letterOrders[sort])
}

function jobFits(known: Known, selector: Selector): boolean {
  const { job, variables } = known
  return (
    ofJob(job, selector) &&
    within(job.createdAt, selector) &&
    hasIncident(known, selector) &&
    hasLetter(known, selector) &&
    says(standing(known), selector) &&
    holds(variables, selector)
  )
}

function incidentFits(incident: Incident, known: Known, selector: Selector): boolean {
  return (
    ofJob(known.job, selector) &&
    stops(incident, selector) &&
    within(incident.createdAt, selector) &&
    hasLetter(known, selector) &&
    says(incident.error, selector) &&
    holds(known.variables, selector)
  )
}

function letterFits(letter: DeadLetter, known: Known, selector: Selector): boolean {
  const { errorName, errorMessage, errorCode } = letter
  return (
    ofJob(known.job, selector) &&
    setAside(letter, selector) &&
    within(letter.receivedAt, selector) &&
    hasIncident(known, selector) &&
    says({ name: errorName ?? '', message: errorMessage, code: errorCode }, selector) &&
    holds(known.letterVariables ?? '', selector)
  )
}

function ofJob(job: Job, { keys, types, states, workerId }: Selector): boolean {
  return (
    (keys?.includes(job.key) ?? true) &&
    (types?.includes(job.type) ?? true) &&
    (states?.includes(job.state) ?? true) &&
    (workerId === undefined || (job.state === 'running' && job.workerId === workerId))
  )
}

const within = (at: number, { since, until }: Selector) =>
  (since === undefined || at >= since) && (until === undefined || at < until)

function stops(
  { kind, fingerprint, resolvedAt }: Incident,
  { incidentKinds, fingerprints, includeClosed }: Selector,
): boolean {
  return (
    (incidentKinds?.includes(kind) ?? true) &&
    (fingerprints?.includes(fingerprint) ?? true) &&
    (includeClosed || resolvedAt === null)
  )
}

function setAside({ reason, closedAt }: DeadLetter, { deadLetterReasons, includeClosed }: Selector): boolean {
  return (deadLetterReasons?.includes(reason) ?? true) && (includeClosed || closedAt === null)
}

function hasIncident({ incidents }: Known, selector: Selector): boolean {
  return (
    (selector.incidentKinds === undefined && selector.fingerprints === undefined) ||
    incidents.some((incident) => stops(incident, selector))
  )
}

function hasLetter({ deadLetter }: Known, selector: Selector): boolean {
  return selector.deadLetterReasons === undefined || (deadLetter !== null && setAside(deadLetter, selector))
}

/** The error that a job stands with. */
function standing({ job, incidents, deadLetter, attempts }: Known): Said | null {
  if (job.state === 'completed') return null
  if (job.state === 'failed') return incidents.find(({ resolvedAt }) => resolvedAt === null)?.error ?? null
  if (job.state !== 'dead')
    return (
      attempts.filter(({ error, outcome }) => error !== null && outcome !== 'stale').at(-1)?.error ?? null
    )
  return (
    deadLetter && {
      name: deadLetter.errorName ?? '',
      message: deadLetter.errorMessage,
      code: deadLetter.errorCode,
    }
  )
}

function says(said: Said | null, { error, codes }: Selector): boolean {
  if (error === undefined && codes === undefined) return true
  if (said === null) return false
  return (
    (codes === undefined || (said.code !== null && codes.includes(said.code))) &&
    (error === undefined || matches(said, error))
  )
}

function matches({ name, message, code }: Said, error: ErrorMatch): boolean {
  const words = [code, name, message].filter((part) => part !== null).join(' ')
  if ('text' in error) return words.toLowerCase().includes(error.text.toLowerCase())
  const form = new RegExp(error.pattern, error.ignoreCase ? 'iu' : 'u')
  return [words, message, name, code ?? name].some((part) => form.test(part))
}

function holds(text: string, { where = [] }: Selector): boolean {
  return where.every((condition) => isThere(JSON.parse(text), condition))
}

function isThere(root: unknown, { path, value }: WhereCondition): boolean {
  let at = root
  for (const key of parsePath(path)) {
    if (
      typeof at !== 'object' ||
      at === null ||
      !Object.hasOwn(at, key) ||
      (Array.isArray(at) && key === 'length')
    )
      return false
    at = Object.getOwnPropertyDescriptor(at, key)?.value
  }
  return canonical(at) === canonical(value)
}

/** The order of members says nothing. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`,
  )
  return `{${members.sort().join()}}`
}

type Compare<T> = (one: T, other: T) => number

const up =
  <T>(of: (item: T) => number | string): Compare<T> =>
  (one, other) =>
    of(one) < of(other) ? -1 : Number(of(one) > of(other))
const down =
  <T>(of: (item: T) => number | string): Compare<T> =>
  (one, other) =>
    up(of)(other, one)

const jobOrders: Readonly<Record<string, readonly Compare<Job>[]>> = {
  newest: [down(({ key }) => key)],
  oldest: [up(({ key }) => key)],
  due: [up(({ runAt }) => runAt), up(({ key }) => key)],
  priority: [down(({ priority }) => priority), up(({ key }) => key)],
  attempts: [down(({ attempt }) => attempt), down(({ key }) => key)],
}
const incidentOrders: Readonly<Record<string, readonly Compare<Incident>[]>> = {
  newest: [down(({ id }) => id)],
  oldest: [up(({ id }) => id)],
  type: [up(({ type }) => type), down(({ id }) => id)],
  attempts: [down(({ attempt }) => attempt), down(({ id }) => id)],
}
const letterOrders: Readonly<Record<string, readonly Compare<DeadLetter>[]>> = {
  newest: [down(({ receivedAt }) => receivedAt), down(({ jobKey }) => jobKey)],
  oldest: [up(({ receivedAt }) => receivedAt), up(({ jobKey }) => jobKey)],
  type: [up(({ type }) => type), down(({ jobKey }) => jobKey)],
  count: [down(({ count }) => count), down(({ jobKey }) => jobKey)],
}

function ordered<T>(items: readonly T[], compares: readonly Compare<T>[] | undefined): readonly T[] {
  if (compares === undefined) throw new Error('no such order')
  return items.toSorted(
    (one, other) => compares.map((compare) => compare(one, other)).find((order) => order !== 0) ?? 0,
  )
}
