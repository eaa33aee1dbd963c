/** One verb over many jobs: told beforehand (`--dry-run`) by the same rules that the store applies, or done. */
import type { Clock } from '../clock.ts'
import { resolveJob } from '../domain/resolve-job.ts'
import type { Resolution } from '../domain/resolution.ts'
import type { WfError } from '../domain/errors.ts'
import { withinSizes, type Engine } from '../engine/engine.ts'
import type { StoreReader } from '../store/store.ts'
import { tellChanges, type Change } from './changes.ts'
import { toWfError } from './errors.ts'
import type { ExitCode } from './exit-codes.ts'
import { onInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { createProgress } from './progress.ts'

export interface BulkChange {
  engine: Engine
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey'>
  /** `cancelled for good`: what happens to those that change. */
  done: string
  dryRun: boolean
  /** Matched, and passed by for a reason. */
  passedBy?: readonly Change[]
}

/** Jobs a transaction: small enough that workers are not held up. */
const batchSize = 200

export async function changeJobs({ output, clock }: { output: Output; clock: Clock }, change: BulkChange): Promise<ExitCode> {
  const { keys, passedBy = [], done, dryRun } = change
  const progress = createProgress(output, clock, 'jobs')
  const interrupt = onInterrupt()
  const changes: Change[] = []
  let failure: WfError | null = null
  try {
    for (let start = 0; start < keys.length && !interrupt.signal.aborted; start += batchSize) {
      changes.push(...(await changeBatch(change, keys.slice(start, start + batchSize))))
      progress.update(changes.length, changes.length / keys.length)
    }
  } catch (error) {
    // What is done already must not be lost with the error.
    if (changes.length === 0) throw error
    failure = toWfError(error, '')
  } finally {
    progress.end()
    interrupt.release()
  }
  const matched = keys.length + passedBy.length
  return tellChanges(output, [...changes, ...passedBy], { done, dryRun, matched, failure, stoppedWith: interrupt.exitCode })
}

async function changeBatch({ engine, resolution, dryRun }: BulkChange, keys: readonly number[]): Promise<readonly Change[]> {
  const resolutions = keys.map((jobKey) => ({ ...resolution, jobKey }))
  if (!dryRun) return engine.resolve(resolutions)
  const now = engine.store.now()
  return Promise.all(resolutions.map((each) => foretold(engine.store, withinSizes(each, engine.sizes), now)))
}

async function foretold(store: StoreReader, resolution: Resolution, now: number): Promise<Change> {
  const { jobKey } = resolution
  const detail = await store.job(jobKey)
  if (!detail) return { jobKey, status: 'not_found', from: null, to: null, why: `there is no job ${jobKey}` }
  const { job, incidents, deadLetter, variables } = detail
  const openIncident = incidents.find(({ resolvedAt }) => resolvedAt === null) ?? null
  const openDeadLetter = deadLetter?.closedAt === null ? deadLetter : null
  const resolved = resolveJob({ job, openIncident, openDeadLetter, variables, resolution, now })
  const [to, why] = resolved.status === 'changed' ? [resolved.next.state, ''] : [null, resolved.why]
  return { jobKey, status: resolved.status, from: job.state, to, why }
}
