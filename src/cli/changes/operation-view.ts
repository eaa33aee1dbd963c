/** What people did, as people and scripts see it. */
import { isJsonObject } from '../../text/json.ts'
import {
  isUndone,
  leftOf,
  operationState,
  undoRefusal,
  type JobImage,
  type Operation,
  type OperationTarget,
  type TargetImage,
  type TargetName,
  type Undone,
} from '../../domain/operation.ts'
import { commandOf } from '../../engine/actions/index.ts'
import { maskedTargets, undoRefusalWords } from '../../messages/operation-messages.ts'
import { Masked, maskValue } from '../../text/mask.ts'
import { preview } from '../../text/preview.ts'
import { maskedAt, readable } from '../../views/history-messages.ts'
import { iso } from '../../terminal/json.ts'
import type { Paint } from '../../terminal/paint.ts'
import {
  commandInJson,
  joined,
  type Safe,
  say,
  type Shown,
  shownCommand,
  shownMasked,
} from '../../terminal/safe.ts'
import { facts } from '../../views/sections.ts'
import { sumWords } from '../output/change-summary.ts'
import type { Column } from '../../terminal/table.ts'
import { relative, thousands } from '../../terminal/time.ts'

/** How it stands: at work, broken off by its process or stopped in good order, done, or taken back. */
function standing(operation: Operation, now: number): string {
  const { undoneBy, undone } = operation
  if (undone > 0) return `undone by ${undoneBy}${isUndone(operation) ? '' : ' in part'}`
  const left = leftOf(operation)
  const state = operationState(operation, now)
  if (left === 0 || state !== 'interrupted') return state
  return `${operation.finishedAt === null ? 'interrupted' : 'stopped'}, ${thousands(left)} left`
}

export function operationDocument(operation: Operation, now: number, suffix: string) {
  const {
    id,
    at,
    verb,
    who,
    reason,
    flags,
    matched,
    changed,
    skipped,
    failed,
    finishedAt,
    undoes,
    undoneBy,
    undone,
  } = operation
  const undo = undoRefusal(operation, now) === null ? `wf undo ${id}${suffix}` : null
  return {
    ...{
      id,
      at: iso(at),
      verb,
      command: commandOf(verb),
      who,
      selector: new Masked(maskedTargets(operation)),
      reason,
      flags: shownFlags(flags),
    },
    ...{ matched, changed, skipped, failed, left: leftOf(operation), state: operationState(operation, now) },
    ...{ finishedAt: iso(finishedAt), undoes, undoneBy, undone, undo: undo && commandInJson(undo) },
  }
}

/** A set variable carries its name beside its value, not above it. */
function shownFlags(flags: Operation['flags']): Record<string, unknown> {
  const { set, ...rest } = flags
  if (!Array.isArray(set)) return { ...flags }
  return {
    ...rest,
    set: set.map((each) =>
      isJsonObject(each) && each['remove'] !== true
        ? { ...each, value: maskedAt(String(each['path']), each['value']) }
        : each,
    ),
  }
}

export function operationColumns(now: number): readonly Column<Operation>[] {
  return [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'WHEN', value: ({ at }) => relative(at, now) },
    { title: 'WHO', value: ({ who }) => who, shrinkTo: 8 },
    { title: 'WHAT', value: ({ verb }) => commandOf(verb) },
    { title: 'MEANT', value: meantWords, shrinkTo: 12 },
    {
      title: 'CHANGED',
      value: ({ changed, matched }) => say`${thousands(changed)} of ${thousands(matched)}`,
      align: 'right',
    },
    { title: 'STATE', value: (operation) => standing(operation, now), paint: stateTone(now) },
    { title: 'REASON', value: ({ reason }) => reason ?? '', shrinkTo: 10, optional: 1 },
  ]
}

const meantWords = (operation: Operation): Shown =>
  operation.selector === '' ? 'all of them' : shownMasked(maskedTargets(operation))

const stateTone = (now: number) => (operation: Operation, paint: Paint) => {
  if (isUndone(operation)) return paint.dim
  return operationState(operation, now) === 'interrupted' ? paint.yellow : undefined
}

export interface OperationLook {
  paint: Paint
  now: number
  suffix: string
}

export function operationFacts(operation: Operation, { paint, now, suffix }: OperationLook): readonly Safe[] {
  const { id, at, verb, who, reason, flags, matched, changed, skipped, failed, undoes } = operation
  const refusal = undoRefusal(operation, now)
  const chosen = Object.entries(maskValue(shownFlags(flags)) as object).map(
    ([name, value]) => say`${name} ${preview(value, 200)}`,
  )
  const left = leftOf(operation)
  const sum = say`${sumWords({ matched, changed, skipped, failed })}${left > 0 ? say` + ${left} left` : say``}`
  return [
    say`${paint.bold(say`operation ${id}`)}  ${commandOf(verb)}  ${standing(operation, now)}`,
    ...facts(
      [
        ['by', who],
        ['at', say`${relative(at, now).padEnd(8)}  ${paint.dim(iso(at))}`],
        ['meant', meantWords(operation)],
        ['reason', reason],
        ['chosen', chosen.length === 0 ? null : joined(chosen, ', ')],
        ['targets', sum],
        ['undoes', undoes],
        [
          'undo',
          refusal === null
            ? paint.cyan(shownCommand(`wf undo ${id}${suffix}`))
            : paint.dim(say`${undoRefusalWords(operation, refusal).message}`),
        ],
      ],
      paint,
    ),
  ]
}

/** A target, with what an undo would make of it now; null where an undo is out of the question. */
export interface SeenTarget extends OperationTarget {
  undo: Undone | null
}

export function targetName({ jobKey, name }: TargetName): Shown {
  if (jobKey === 0) return name
  return name === '' ? jobKey : say`${jobKey} ${name}`
}

export function targetColumns(): readonly Column<SeenTarget>[] {
  return [
    { title: 'TARGET', value: targetName, shrinkTo: 8 },
    { title: 'BECAME', value: ({ status }) => (status === 'pending' ? 'left' : status.replace('_', ' ')) },
    { title: 'WAS', value: ({ image }) => stateBefore(image) },
    { title: 'UNDO', value: undoWords, shrinkTo: 12 },
    { title: 'WHY', value: ({ why }) => why, shrinkTo: 12, optional: 1 },
  ]
}

function undoWords({ undo, undoneBy }: SeenTarget): string {
  if (undoneBy !== null) return `undone by ${undoneBy}`
  if (undo === null) return ''
  return undo.status === 'changed' && !undo.partly ? 'can be' : undo.why
}

function stateBefore(image: TargetImage | null): string {
  if (image === null) return ''
  if (image.of === 'job') return image.before.state
  if (image.of === 'type') return image.before.pausedAt === null ? 'not paused' : 'paused'
  return image.before === null ? 'closed' : image.before.mode.replace('_', ' ')
}

export function targetDocument({ jobKey, name, status, why, image, undoneBy, undo }: SeenTarget) {
  return {
    ...(jobKey === 0 ? { name } : { key: jobKey, ...(name === '' ? {} : { step: name }) }),
    ...{ status: status === 'pending' ? 'left' : status, why, before: imageDocument(image), undoneBy },
    undo: undo && { possible: undo.status === 'changed', why: undo.why },
  }
}

function imageDocument(image: TargetImage | null): unknown {
  if (image === null) return null
  if (image.of === 'type') {
    const { pausedAt, pausedBy, pauseReason, pausedUntil } = image.before
    return { pausedAt: iso(pausedAt), pausedBy, pauseReason, pausedUntil: iso(pausedUntil) }
  }
  if (image.of === 'breaker')
    return image.before && { mode: image.before.mode, openUntil: iso(image.before.expiresAt) }
  return {
    ...jobBefore(image.before),
    ...(image.variables ? { variables: readable(image.variables.before) } : {}),
  }
}

function jobBefore({ runAt, deadlineAt, finishedAt, deferringSince, ...rest }: JobImage) {
  return {
    ...rest,
    runAt: iso(runAt),
    deadlineAt: iso(deadlineAt),
    finishedAt: iso(finishedAt),
    deferringSince: iso(deferringSince),
  }
}
