/** One verb over many jobs: told beforehand (`--dry-run`) by the same rules that the store applies, or done. */
import type { Clock } from '../clock.ts'
import { operationLimits } from '../domain/operation.ts'
import { namedWords } from '../domain/operation-words.ts'
import { resolveJob } from '../domain/resolve-job.ts'
import type { Resolution } from '../domain/resolution.ts'
import { selectorText } from '../domain/selector-text.ts'
import type { WfError } from '../domain/errors.ts'
import { changeMany } from '../engine/bulk.ts'
import { withinSizes, type Engine } from '../engine/engine.ts'
import type { Selector, StoreReader } from '../store/store.ts'
import { ChangeTally, tellChanges, type Change } from './changes.ts'
import { toWfError } from './errors.ts'
import type { ExitCode } from './exit-codes.ts'
import { countedBy, impactOf, type Impact } from './impact.ts'
import { onInterrupt, type Interrupt } from './interrupt.ts'
import { warnFinal } from './operation-line.ts'
import type { Output } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import type { Bound } from './selector-flags.ts'

export interface BulkChange {
  engine: Engine
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey'>
  /** `cancelled for good`: what happens to those that change. */
  done: string
  dryRun: boolean
  /** Matched, and passed by for a reason. */
  passedBy?: readonly Change[]
  /** What was meant, for the record; the keys unless told. */
  selector?: Selector
  /** How many of them at most, and in which order. */
  bound?: Bound
  /** Jobs a second, at most. */
  perSecond?: number | undefined
}

export interface ChangeContext {
  output: Output
  clock: Clock
  /** Behind every command that is shown. */
  suffix?: string
}

const readBatch = 200

interface Run {
  tally: ChangeTally
  interrupt: Interrupt
  progress: Progress
}

export async function changeJobs({ output, clock, suffix = '' }: ChangeContext, change: BulkChange): Promise<ExitCode> {
  const { keys, passedBy = [], done, dryRun, resolution } = change
  const run = { tally: new ChangeTally({ keepsAll: output.json }), interrupt: onInterrupt(), progress: createProgress(output, clock, 'jobs') }
  const { tally, interrupt, progress } = run
  let ended: { failure: WfError | null; id: number | null; impact: readonly Impact[] }
  try {
    if (!dryRun) warnFinal(output, resolution.verb)
    ended = dryRun ? { failure: null, id: null, impact: await foretellAll(change, run) } : { ...(await changeAll(clock, change, run)), impact: [] }
  } finally {
    progress.end()
    interrupt.release()
  }
  const changed = tally.counts.changed
  tally.add(passedBy)
  const { failure, id, impact } = ended
  const operation = id === null ? null : { id, verb: resolution.verb, changed, suffix }
  const matched = keys.length + passedBy.length
  return tellChanges(output, tally, { done, dryRun, matched, failure, operation, impact, stoppedWith: interrupt.exitCode })
}

async function changeAll(
  clock: Clock,
  change: BulkChange,
  { tally, interrupt, progress }: Run,
): Promise<{ failure: WfError | null; id: number | null }> {
  const { engine, keys, resolution, passedBy = [], perSecond } = change
  if (keys.length + passedBy.length === 0) return { failure: null, id: null }
  let begun: number | null = null
  try {
    await changeMany({
      ...{ engine, clock, keys, resolution, passedBy, signal: interrupt.signal, selector: selectorWords(change) },
      ...(perSecond === undefined ? {} : { perSecond }),
      onBegin(id) {
        begun = id
      },
      onBatch(applied) {
        tally.add(applied)
        progress.update(tally.total, tally.total / keys.length)
      },
    })
    return { failure: null, id: begun }
  } catch (error) {
    // What is done already must not be lost with the error.
    if (tally.total === 0) throw error
    return { failure: toWfError(error, ''), id: begun }
  }
}

/** What was meant, for the record. */
export function selectorWords({ selector, keys, bound = {} }: Pick<BulkChange, 'selector' | 'keys' | 'bound'>): string {
  const { keys: named = [], ...narrowed } = selector ?? { keys }
  const bounds = [bound.limit === undefined ? '' : `--limit ${bound.limit}`, bound.sort === undefined ? '' : `--sort ${bound.sort}`]
  const words = [selectorText(narrowed), namedWords(named), ...bounds].filter((part) => part !== '').join(' ')
  return words.slice(0, operationLimits.selectorCharacters)
}

/** Answers what would hold those that would change. */
async function foretellAll({ engine, keys, resolution }: BulkChange, { tally, interrupt, progress }: Run): Promise<readonly Impact[]> {
  const types: string[] = []
  for (let start = 0; start < keys.length && !interrupt.signal.aborted; start += readBatch) {
    const now = engine.store.now()
    const told = keys
      .slice(start, start + readBatch)
      .map((jobKey) => foretold(engine.store, withinSizes({ ...resolution, jobKey }, engine.sizes), now))
    for (const { change, type } of await Promise.all(told)) {
      tally.add([change])
      if (change.status === 'changed' && type !== null) types.push(type)
    }
    progress.update(tally.total, tally.total / keys.length)
  }
  return runsAgain(resolution.verb) ? impactOf(engine.store, countedBy(types)) : []
}

export function runsAgain(verb: Resolution['verb']): boolean {
  return verb === 'resolve' || verb === 'retry' || verb === 'dlq_retry'
}

async function foretold(store: StoreReader, resolution: Resolution, now: number): Promise<{ change: Change; type: string | null }> {
  const { jobKey } = resolution
  const detail = await store.job(jobKey)
  if (!detail) return { change: { jobKey, status: 'not_found', from: null, to: null, why: `there is no job ${jobKey}` }, type: null }
  const { job, incidents, deadLetter, variables } = detail
  const openIncident = incidents.find(({ resolvedAt }) => resolvedAt === null) ?? null
  const openDeadLetter = deadLetter?.closedAt === null ? deadLetter : null
  const resolved = resolveJob({ job, openIncident, openDeadLetter, variables, resolution, now })
  const [to, why] = resolved.status === 'changed' ? [resolved.next.state, ''] : [null, resolved.why]
  return { change: { jobKey, status: resolved.status, from: job.state, to, why }, type: job.type }
}
