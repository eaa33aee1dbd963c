/** Releasing workers, told beforehand (`--dry-run`) or done, and what became of each: matched = changed + skipped + failed. */
import { addTarget } from '../../engine/plans/operations.ts'
import { WfError } from '../../errors.ts'
import type { NewTarget } from '../../domain/operation.ts'
import { namedWords } from '../../messages/operation-messages.ts'
import type { Engine } from '../../engine/engine.ts'
import { asOperation } from '../../engine/operation-log.ts'
import { releaseWorker } from '../../engine/release-worker.ts'
import { describeError, errorDocument } from '../errors.ts'
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { sumOf, sumWords, type Sum } from '../output/change-summary.ts'
import { counted, thousands } from '../../terminal/time.ts'
import type { Sign } from './liveness.ts'
import { missingWords, type FoundWorkers, type MissingWorker, type WorkerTarget } from './worker-targets.ts'
import type { WorkerRelease } from '../../engine/plans/workers.ts'

export interface Released {
  id: string
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  /** A finished sentence for people; when changed, by what it was taken for dead. */
  why: string
  /** Keys of the jobs that were, or would be, ended as lost. */
  jobs: readonly number[]
}

export interface ReleasePlan {
  engine: Engine
  found: FoundWorkers
  /** Of those that have a row; empty when nobody looked. */
  signs: ReadonlyMap<string, Sign>
  release: WorkerRelease
  dryRun: boolean
}

export interface ReleaseEnd {
  released: readonly Released[]
  /** Null: nothing was tried. */
  operation: number | null
}

export async function releaseWorkers(plan: ReleasePlan): Promise<ReleaseEnd> {
  const { engine, found, signs, release, dryRun } = plan
  const matched = found.targets.length + found.missing.length
  if (dryRun || !found.targets.some(({ id }) => isTaken(signs.get(id))))
    return { released: await releaseEach(plan), operation: null }
  const { who, reason, forced } = release
  const selector = namedWords([...found.targets, ...found.missing].map(({ id }) => id))
  const named = { verb: 'release' as const, who, reason, selector, flags: forced ? { forced } : {}, matched }
  const { result, operation } = await asOperation(engine.store, named, async (id) => {
    const released = await releaseEach({ ...plan, release: { ...release, operation: id } })
    const targets = released.map((one) => ({ operation: id, target: targetOf(one) }))
    await engine.store.transact(addTarget, targets, engine.store.now())
    return released
  })
  return { released: result, operation: operation.id }
}

const isTaken = (sign: Sign | undefined) => sign?.is !== 'left' && sign?.is !== 'alive'

/** Of what was released the target stands already, written with the change itself. */
function targetOf({ id, status, why }: Released): NewTarget {
  return { jobKey: 0, name: id, status, why: status === 'changed' ? '' : why, image: null }
}

async function releaseEach({
  engine,
  found,
  signs,
  release,
  dryRun,
}: ReleasePlan): Promise<readonly Released[]> {
  const released: Released[] = found.missing.map(missing)
  for (const target of found.targets) {
    const { id, row } = target
    const sign = signs.get(id)
    if (sign?.is === 'left')
      released.push({ id, status: 'skipped', why: `worker ${id} ${sign.why}`, jobs: [] })
    else if (sign?.is === 'alive')
      released.push({ id, status: 'failed', why: wordsOfLife(target, sign), jobs: [] })
    else {
      const jobs = dryRun ? await engine.store.running(id) : await releaseWorker(engine, id, release)
      const why = sign?.why ?? (row === null ? 'its row is gone' : 'not looked at')
      released.push({ id, status: 'changed', why, jobs: jobs.map(({ key }) => key) })
    }
  }
  return released
}

function missing({ id, releasedBy, near }: MissingWorker): Released {
  if (releasedBy !== null)
    return { id, status: 'skipped', why: `worker ${id} was released by ${releasedBy} before`, jobs: [] }
  return { id, status: 'not_found', why: missingWords({ id, near }), jobs: [] }
}

function wordsOfLife({ id, running }: WorkerTarget, { why }: Sign): string {
  const jobs = running === 0 ? 'what it takes' : `its ${counted(running, 'job')}`
  return `worker ${id} ${why}; released now, ${jobs} could run twice at the same time`
}

/** Prints what became of each and the sum; answers the exit code. */
export function tellReleased(
  output: Output,
  { released, operation }: ReleaseEnd,
  { dryRun, forced }: { dryRun: boolean; forced: boolean },
): ExitCode {
  const sum = sumOf(released)
  const error = problemOf(released, sum)
  const made =
    operation === null
      ? null
      : ({ id: operation, verb: 'release', changed: sum.changed, suffix: '' } as const)
  output.document({
    ...sum,
    dryRun,
    ...madeDocument(made),
    items: released,
    ...(error ? { error: errorDocument(error) } : {}),
  })
  const { dim, green } = output.paint
  // One worker that could not be released: the error says it all.
  if (!error || sum.matched > 1) {
    output.print(...released.map((each) => lineOf(each, output, dryRun)))
    const verb = dryRun ? say`would be released` : green(say`released`)
    output.print(say`${counted(sum.changed, 'worker')} ${verb}  ${dim(sumWords(sum))}`)
    if (made) output.print(operationLine(made, output.paint))
  }
  if (forced && sum.changed > 0)
    output.note(
      say`nobody looked whether they live: the jobs of one that does may run twice at the same time`,
    )
  if (error) describeError(error, output)
  return error ? exitCodeOf(error.code) : exitCodes.ok
}

const mostKeys = 10

function lineOf({ id, status, why, jobs }: Released, { paint }: Output, dryRun: boolean): Safe {
  if (status === 'skipped') return say`${paint.dim(say`skipped`)} ${why}`
  if (status !== 'changed') return say`${paint.red(say`failed`)} ${why}`
  const keys = say`${joined(jobs.slice(0, mostKeys), ', ')}${jobs.length > mostKeys ? ', …' : ''}`
  const held =
    jobs.length === 0
      ? say`it held no job`
      : say`${counted(jobs.length, 'job')} ${dryRun ? 'would end' : 'ended'} as lost: ${keys}`
  return say`${paint.green(dryRun ? say`would release` : say`released`)} ${id}  ${held}  ${paint.dim(say`${why}`)}`
}

function problemOf(released: readonly Released[], { matched, failed }: Sum): WfError | null {
  if (failed === 0) return null
  if (failed < matched)
    return new WfError(
      'partly_done',
      `${thousands(failed)} of ${counted(matched, 'worker')} could not be released`,
    )
  const first = released.find(({ status }) => status === 'failed') ?? released[0]
  if (first?.status !== 'failed')
    return new WfError('not_found', first?.why ?? '', {
      hint: 'wf workers list shows the ids and labels there are',
    })
  return new WfError('conflict', first.why, {
    hint: 'stop it first: SIGTERM to its run-worker gives its jobs back; or add --force',
  })
}
