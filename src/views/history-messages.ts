/** What was done with a job outside its attempts, in words: who, what, why, and what changed with it. */
import { isJsonObject } from '../text/json.ts'
import { mask, maskValue, secrecyOf } from '../text/mask.ts'
import { preview } from '../text/preview.ts'
import { parsePath } from '../domain/variable-path.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { joined, say, type Revealing, type Safe } from '../terminal/safe.ts'
import { relative } from '../terminal/time.ts'
import type { HistoryRow } from '../store/views.ts'

const events: Readonly<Record<string, string>> = {
  dead_letter_purged: 'dead letter purged',
  dlq_retried: 'taken back from the dead letters',
  type_paused: 'type paused',
  type_resumed: 'type resumed',
  worker_released: 'worker released',
  worker_drained: 'worker asked to drain',
  steps_forgotten: 'steps forgotten',
}

export function historyLine(
  { at, event, who, reason, detail }: HistoryRow,
  { now, paint }: { now: number; paint: Paint },
): Safe {
  const why = reason === null ? say`` : say`: ${reason}`
  const changes = detail === null ? [] : changeWords(historyDetail(detail))
  const told = changes.length === 0 ? say`` : say`  ${paint.dim(joined(changes, ', '))}`
  return say`${paint.dim(relative(at, now).padEnd(9))} ${events[event] ?? event} by ${who}${why}${told}`
}

/** The stored detail, with secrets hidden: a changed variable carries its name beside its values, not above them. */
export function historyDetail(text: string, { reveal = false }: Revealing = {}): unknown {
  const detail = readable(text)
  if (reveal || !isJsonObject(detail) || !Array.isArray(detail['variables'])) return detail
  return {
    ...detail,
    variables: detail['variables'].map((change) => (isJsonObject(change) ? maskedChange(change) : change)),
  }
}

/** Stored JSON; what cannot be read is shown as the text it is. */
export function readable(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A recorded change of a variable, its values masked as they are where they stand. */
export function maskedChange({
  path,
  before,
  after,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  const shown = (value: unknown) => (value === undefined ? undefined : maskedAt(String(path), value))
  return {
    path,
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
    ...rest,
  }
}

/** As it is masked where it stands. */
export function maskedAt(path: string, value: unknown): unknown {
  const keys = keysOf(path)
  const name = keys.at(-1) ?? path
  return keys.slice(0, -1).some((key) => secrecyOf(key).ofText)
    ? mask
    : Object.values(maskValue({ [name]: value }) as object)[0]
}

function keysOf(path: string): readonly string[] {
  try {
    return parsePath(path)
  } catch {
    return [path]
  }
}

function changeWords(detail: unknown): readonly string[] {
  if (!isJsonObject(detail)) return [brief(detail)]
  const { from, attempt, workerId, variables, ...rest } = detail
  return [
    ...(typeof from === 'string' ? [`was ${from}`] : []),
    ...(attempt === undefined
      ? []
      : [`attempt ${brief(attempt)}${typeof workerId === 'string' ? ` of ${workerId}` : ''} lost its lease`]),
    ...Object.entries(rest).map(([name, change]) => fieldWords(name, change)),
    ...(Array.isArray(variables) ? variables.map(variableWords) : []),
  ]
}

const fields: Readonly<Record<string, string>> = {
  deadlineAt: 'deadline',
  effectsEpoch: 'new effects, epoch',
  forgotten: 'forgot',
}

function fieldWords(name: string, change: unknown): string {
  const told = fields[name] ?? name
  if (!isJsonObject(change) || !('before' in change)) return `${told} ${brief(change)}`
  const show = name.endsWith('At') ? instant : brief
  return `${told} ${show(change['before'])} → ${show(change['after'])}`
}

/** `amount 5 → 10`. */
export function variableWords(change: unknown): string {
  if (!isJsonObject(change)) return brief(change)
  const { path, before, after } = change
  if (after === undefined) return `${String(path)} ${brief(before)} taken away`
  return before === undefined
    ? `${String(path)} set to ${brief(after)}`
    : `${String(path)} ${brief(before)} → ${brief(after)}`
}

function instant(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'number' ? iso(value) : brief(value)
}

const brief = (value: unknown): string => preview(value, 80)
