/** Taking changes back, inside an open transaction: each target for itself, where nothing has happened to it since. */
import type {
  JobChangeImage,
  OperationTarget,
  PauseImage,
  TargetName,
  TypeImage,
  Undone,
} from '../../domain/operation.ts'
import { undoJob, undoPause, undoUnknown, type NotRestored, type RestoredJob } from '../../domain/undo.ts'
import type { Connection } from './file/connection.ts'
import { historyTable } from './rows/history.ts'
import { jobDataTable } from './rows/job-data.ts'
import { jobsTable } from './rows/jobs.ts'
import { operationsTable } from './rows/operations.ts'
import { breakerUndoer } from './undo-breaker.ts'
import type { UndoBatch } from '../port.ts'

export type Undoer = (batch: UndoBatch, now: number) => readonly Undone[]

/** What is asked for with each target. */
interface Asked extends Omit<UndoBatch, 'targets'> {
  now: number
}

type Outcome = { status: 'changed'; why: string; partly: boolean } | NotRestored

const whole: Outcome = { status: 'changed', why: '', partly: false }

export function undoer(db: Connection): Undoer {
  const operations = operationsTable(db)
  const jobs = jobsTable(db)
  const job = jobUndoer(db)
  const type = pauseUndoer(db)
  const breaker = breakerUndoer(db)

  function restored({ jobKey, name, image }: OperationTarget, asked: Asked): Outcome {
    if (image === null) return undoUnknown({ jobKey, name }, jobs.get(jobKey) !== null)
    if (image.of === 'job') return job(jobKey, image, asked)
    if (image.of === 'type') return type(name, image, asked)
    return breaker(name, image, asked) ?? whole
  }

  function undoOne(name: TargetName, asked: Asked): Outcome | { status: 'skipped'; why: string } {
    const what = name.jobKey === 0 ? name.name : `job ${name.jobKey}`
    const target = operations.target(asked.of, name)
    if (target === null || target.status !== 'changed')
      return { status: 'skipped', why: `operation ${asked.of} did not change ${what}` }
    if (target.undoneBy !== null)
      return { status: 'skipped', why: `${what} was brought back by operation ${target.undoneBy} already` }
    const outcome = restored(target, asked)
    if (outcome.status === 'changed') operations.markUndone(asked.of, name, asked.operation)
    return outcome
  }

  return ({ targets, ...asked }, now) =>
    targets.map((name) => {
      const outcome = undoOne(name, { ...asked, now })
      operations.addTarget(
        asked.operation,
        { jobKey: name.jobKey, name: name.name, status: outcome.status, why: outcome.why, image: null },
        now,
      )
      return {
        jobKey: name.jobKey,
        name: name.name,
        status: outcome.status,
        why: outcome.why,
        partly: 'partly' in outcome && outcome.partly,
      }
    })
}

function jobUndoer(db: Connection): (jobKey: number, image: JobChangeImage, asked: Asked) => Outcome {
  const jobs = jobsTable(db)
  const data = jobDataTable(db)
  const history = historyTable(db)
  const write = jobWriter(db)
  const incidentThere = db.prepare(
    'SELECT 1 FROM wf_incidents WHERE id = ? AND job_key = ? AND resolved_at IS NOT NULL',
  )
  const letterThere = db.prepare(
    'SELECT 1 FROM wf_poison_jobs WHERE job_key = ? AND received_at = ? AND closed_at IS NOT NULL',
  )
  return (jobKey, image, { of, who, reason, now }) => {
    const { incident, deadLetterAt, variables } = image
    const restored = undoJob(jobKey, image, {
      job: jobs.get(jobKey),
      variables: variables === undefined ? '' : data.variables(jobKey),
      incidentThere: incident !== null && incidentThere.get(incident, jobKey) !== undefined,
      deadLetterThere: deadLetterAt !== null && letterThere.get(jobKey, deadLetterAt) !== undefined,
    })
    if (restored.status !== 'changed') return restored
    write(jobKey, restored)
    const detail = JSON.stringify({ operation: of, from: image.after.state, to: image.before.state })
    history.add({ jobKey, at: now, event: 'undone', who, reason, detail })
    return restored
  }
}

function jobWriter(db: Connection): (jobKey: number, restored: RestoredJob) => void {
  const update =
    db.prepare(`UPDATE wf_jobs SET state = ?, wait_reason = ?, priority = ?, run_at = ?, retries = ?, retries_given = ?, failures = ?,
    crashes = ?, deferrals = ?, deferring_since = ?, deadline_at = ?, finished_at = ? WHERE key = ?`)
  const reopenIncident = db.prepare(
    'UPDATE wf_incidents SET resolved_at = NULL, resolved_by = NULL, resolution = NULL, reason = NULL WHERE id = ?',
  )
  const reopenLetter = db.prepare(
    'UPDATE wf_poison_jobs SET closed_at = NULL, closed_by = NULL, resolution = NULL, close_reason = NULL WHERE job_key = ?',
  )
  const epoch = db.prepare('UPDATE wf_job_data SET effects_epoch = ? WHERE job_key = ?')
  const data = jobDataTable(db)
  return (jobKey, { next, variables, reopen, effectsEpoch }) => {
    update.run(
      ...[
        next.state,
        next.waitReason,
        next.priority,
        next.runAt,
        next.retries,
        next.retriesGiven ? 1 : 0,
        next.failures,
      ],
      ...[next.crashes, next.deferrals, next.deferringSince, next.deadlineAt, next.finishedAt, jobKey],
    )
    if (variables !== undefined) data.setVariables(jobKey, variables)
    if (reopen.incident !== null) reopenIncident.run(reopen.incident)
    if (reopen.deadLetter) reopenLetter.run(jobKey)
    if (effectsEpoch !== undefined) epoch.run(effectsEpoch, jobKey)
  }
}

const pauseColumns =
  'paused_at AS pausedAt, paused_until AS pausedUntil, paused_by AS pausedBy, pause_reason AS pauseReason, bad_streak AS badStreak'

/** A type's pause as it stands in its row; null when there is no row. */
export function pauseImages(db: Connection): (type: string) => PauseImage | null {
  const get = db.prepare<[string], PauseImage>(`SELECT ${pauseColumns} FROM wf_types WHERE type = ?`)
  return (type) => get.get(type) ?? null
}

export const unpaused: PauseImage = {
  pausedAt: null,
  pausedBy: null,
  pauseReason: null,
  pausedUntil: null,
  badStreak: 0,
}

function pauseUndoer(db: Connection): (type: string, image: TypeImage, asked: Asked) => Outcome {
  const imageOf = pauseImages(db)
  const history = historyTable(db)
  // What starts again does so on the same ramp as after a resume.
  const put =
    db.prepare(`UPDATE wf_types SET paused_at = ?, paused_until = ?, paused_by = ?, pause_reason = ?, bad_streak = ?,
    resumed_at = coalesce(?, resumed_at), resumed_starts = iif(?, 0, resumed_starts) WHERE type = ?`)
  return (type, image, { of, who, reason, now }) => {
    const undone = undoPause(type, image, imageOf(type))
    if (undone.status !== 'changed') return undone
    const { pausedAt, pausedUntil, pausedBy, pauseReason, badStreak } = undone.next
    const resumes = pausedAt === null
    put.run(
      pausedAt,
      pausedUntil,
      pausedBy,
      pauseReason,
      badStreak,
      resumes ? now : null,
      resumes ? 1 : 0,
      type,
    )
    const event = resumes ? 'type_resumed' : 'type_paused'
    history.add({ jobKey: null, at: now, event, who, reason, detail: JSON.stringify({ type, undoes: of }) })
    return whole
  }
}
