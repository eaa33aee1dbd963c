/** Words what became of workers that were to be released, and workers that don't exist. */
import type { NewTarget } from '../domain/operation.ts'
import type { FoundWorkers, Released as Result, WorkerTarget } from '../engine/actions/workers.ts'
import type { Sign } from '../engine/liveness.ts'
import { counted } from '../terminal/time.ts'
import { didYouMean, nearWords } from '../text/suggest.ts'

export interface Released {
  id: string
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  /** A finished sentence for people; when changed, by what it was taken for dead. */
  why: string
  /** Keys of the jobs that were, or would be, ended as lost. */
  jobs: readonly number[]
}

export function releasedOf(
  results: readonly Result[],
  { missing, names }: FoundWorkers,
): readonly Released[] {
  return [
    ...missing.map(({ id, releasedBy }): Released => {
      if (releasedBy === null) return { id, status: 'not_found', why: missingWords(id, names), jobs: [] }
      return { id, status: 'skipped', why: `worker ${id} was released by ${releasedBy} before`, jobs: [] }
    }),
    ...results.map(({ target, sign, jobs }): Released => {
      const { id, row } = target
      if (jobs === null && sign?.is === 'left')
        return { id, status: 'skipped', why: `worker ${id} ${sign.why}`, jobs: [] }
      if (jobs === null) return { id, status: 'failed', why: aliveWords(target, sign), jobs: [] }
      const why = sign?.why ?? (row === null ? 'its row is gone' : 'not looked at')
      return { id, status: 'changed', why, jobs }
    }),
  ]
}

function aliveWords({ id, running }: WorkerTarget, sign: Sign | null): string {
  const jobs = running === 0 ? 'what it takes' : `its ${counted(running, 'job')}`
  return `worker ${id} ${sign?.why ?? 'is alive'}; released now, ${jobs} could run twice at the same time`
}

/** For the record; the change itself writes the target of a worker that was released. */
export function releaseTarget({ id, status, why }: Released): NewTarget {
  return { jobKey: 0, name: id, status, why: status === 'changed' ? '' : why, image: null }
}

/** A sentence without a full stop, with the names that were probably meant. */
export function missingWords(id: string, names: readonly string[]): string {
  const near = nearWords([id], names)
  return near.length === 0 ? `there is no worker ${id}` : `there is no worker ${id}: ${didYouMean(near)}`
}
