/** Log messages of the supervisor about its processes. */
import type { Job } from '../../domain/job.ts'
import { exitText, type ChildExit } from './child-process.ts'
import { namesOf } from '../leases/settle-lost.ts'
import type { SupervisedChild } from './supervised-child.ts'
import type { TypeDeclaration } from '../../store/views.ts'

interface StartDetails {
  processes: number
  /** Over all types; null: each type's own. */
  concurrency: number | null
  /** Where the jobs are. */
  place: string
}

export function startMessage(
  types: readonly TypeDeclaration[],
  { processes, concurrency, place }: StartDetails,
): string {
  const jobs = concurrency ?? types.reduce((sum, type) => sum + type.concurrency, 0)
  const where = processes === 1 ? 'in 1 process' : `in each of ${processes} processes`
  return `working on ${namedTypes(types)} (up to ${jobs} ${jobs === 1 ? 'job' : 'jobs'} at once ${where}) from ${place}`
}

const mostNamed = 5

/** `a, b and c`; of many the first few, and how many more. */
function namedTypes(types: readonly TypeDeclaration[]): string {
  const names = types.map(({ type }) => type)
  if (names.length > mostNamed + 1)
    return `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`
  const last = names.at(-1) ?? 'nothing'
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

export function drainMessage(graceMs: number): string {
  return `asked to drain by wf workers drain: nothing new starts, running handlers have ${graceMs / 1000} s`
}

export function deathMessage(child: SupervisedChild, exit: ChildExit, jobs: readonly Job[]): string {
  const what = `process ${child.post} (pid ${child.process.pid})`
  const how =
    child.killed === 'hung' ? 'did not answer beyond the timeouts of its jobs and was killed' : exitText(exit)
  if (jobs.length === 0) return `${what} ${how}; it held no job`
  return `${what} ${how}; it ran ${namesOf(jobs)}`
}

export function returnedMessage(child: SupervisedChild, jobs: readonly Job[]): string {
  return `process ${child.post} ended before these were finished; they were given back: ${namesOf(jobs)}`
}
