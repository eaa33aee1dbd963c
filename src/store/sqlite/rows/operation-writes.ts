/** The port's methods about operations, and the targets of what is no job: types, breakers, workers. */
import type { BreakerChange, NamedBreaker } from '../../../domain/breaker-row.ts'
import type { NewTarget, PauseImage } from '../../../domain/operation.ts'
import type { ForgetSteps } from '../../../domain/step.ts'
import type { Connection } from '../file/connection.ts'
import type { GroupCommit } from '../file/group-commit.ts'
import { operationsTable } from './operations.ts'
import { breakerImage } from '../undo-breaker.ts'
import { pauseImages, undoer, unpaused } from '../undo.ts'
import type { StoreWriter } from '../../port.ts'

export function operationWrites(
  db: Connection,
  group: GroupCommit,
): Pick<StoreWriter, 'beginOperation' | 'endOperation' | 'addOperationTargets' | 'undo'> {
  const operations = operationsTable(db)
  const undo = undoer(db)
  const write = <T>(weight: number, run: () => T): Promise<T> => group.run({ weight, byWorker: false, run })
  return {
    beginOperation: (operation, now) => write(1, () => operations.begin(operation, now)),
    endOperation: (id, now) => write(1, () => operations.end(id, now)),
    addOperationTargets: (id, targets, now) =>
      write(targets.length, () => {
        for (const target of targets) operations.addTarget(id, target, now)
      }),
    undo: (batch, now) => write(batch.targets.length, () => undo(batch, now)),
  }
}

type Operation = number | undefined

export interface TargetRecords {
  /** Of a type that `change` pauses or resumes; answers what it answers. */
  type(operation: Operation, change: { type: string; why: string; now: number }, run: () => boolean): boolean
  breaker(change: BreakerChange, before: NamedBreaker | null, after: NamedBreaker | null, now: number): void
  forgotten(forget: ForgetSteps, steps: readonly string[], now: number): void
  worker(operation: Operation, id: string, now: number): void
}

/** Writes targets inside the open transaction; nothing at all where there is no operation. */
export function targetRecords(db: Connection): TargetRecords {
  const operations = operationsTable(db)
  const pauseOf = pauseImages(db)
  const named = (name: string, status: NewTarget['status'], rest: Partial<NewTarget> = {}): NewTarget => ({
    ...{ jobKey: 0, name, status, why: '', image: null },
    ...rest,
  })
  return {
    type(operation, { type, why, now }, run) {
      const before: PauseImage = pauseOf(type) ?? unpaused
      const changed = run()
      if (operation === undefined) return changed
      const image = { of: 'type' as const, before, after: pauseOf(type) ?? unpaused }
      operations.addTarget(
        operation,
        changed ? named(type, 'changed', { image }) : named(type, 'skipped', { why }),
        now,
      )
      return changed
    },
    breaker({ operation, name }, before, after, now) {
      if (operation === undefined) return
      const turned = after !== null && after.generation !== before?.generation
      const target = turned
        ? named(name, 'changed', { image: breakerImage(before, after) })
        : named(name, 'skipped', { why: `${name} was so already` })
      operations.addTarget(operation, target, now)
    },
    forgotten({ operation, jobKey, step }, steps, now) {
      if (operation === undefined) return
      for (const name of steps)
        operations.addTarget(operation, { jobKey, name, status: 'changed', why: '', image: null }, now)
      const why = `job ${jobKey} has no such step`
      if (steps.length === 0)
        operations.addTarget(
          operation,
          { jobKey, name: step ?? '', status: 'skipped', why, image: null },
          now,
        )
    },
    worker(operation, id, now) {
      if (operation !== undefined) operations.addTarget(operation, named(id, 'changed'), now)
    },
  }
}
