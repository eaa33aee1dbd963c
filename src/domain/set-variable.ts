/** Changes of stored variables, as `--set path=value` makes them. */
import { WfError } from '../errors.ts'
import { defaultSizes, sizeSettings } from './job.ts'
import { parseVariables, toJson } from '../text/json.ts'
import { preview } from '../text/preview.ts'
import type { VariableChange } from './resolution.ts'
import { parsePath } from './variable-path.ts'

/** One change as it happened; values are at most `recordedBytes` of JSON, longer ones are described. */
export interface RecordedChange {
  path: string
  /** Absent when the path did not exist. */
  before?: unknown
  /** Absent when it was taken away. */
  after?: unknown
}

const recordedBytes = 2_000

/**
 * The variables (JSON text) after the changes, in order, and what each of them was before. Paths are those of
 * variable-path.ts. A path that does not exist is refused unless `add`, which also creates the objects on the way. Names such as
 * `__proto__` are plain data. Throws WfError `invalid_job` that names the path.
 */
export function setVariables(
  text: string,
  changes: readonly VariableChange[],
  maxBytes: number = defaultSizes.variablesBytes,
): { text: string; changes: RecordedChange[] } {
  const root = parseVariables(text)
  const recorded = changes.map((change) => applyChange(root, change, maxBytes))
  const json = toJson(root, { maxBytes, what: 'the changed variables', setting: sizeSettings.variables })
  if (!json.ok) throw new WfError('invalid_job', json.refusal)
  return { text: json.text, changes: recorded }
}

function applyChange(
  root: Record<string, unknown>,
  change: VariableChange,
  maxBytes: number,
): RecordedChange {
  const keys = parsePath(change.path)
  const last = keys.pop() ?? ''
  const parent = keys.reduce<object>((value, key) => below(value, key, change), root)
  const before = ownMember(parent, last)
  if (before === undefined && !change.add) throw missing(change.path)
  if (change.remove) return removed(parent, last, change)
  const after = copied(change, maxBytes)
  if (before && change.isBareText) refuseOtherKind(before.value, change)
  write(parent, last, after, change.path)
  return {
    path: change.path,
    ...(before ? { before: recordable(before.value) } : {}),
    after: recordable(after),
  }
}

function removed(parent: object, key: string, { path }: VariableChange): RecordedChange {
  const before = ownMember(parent, key)
  if (before === undefined) throw missing(path)
  if (Array.isArray(parent))
    throw new WfError('invalid_job', `${preview(path, 80)} is in a list`, { hint: 'set the whole list' })
  Reflect.deleteProperty(parent, key)
  return { path, before: recordable(before.value) }
}

/** A slip such as `amount=1O` or `items=[1,` would be stored as text, and the handler would fail again. */
function refuseOtherKind(before: unknown, { path, value }: VariableChange): void {
  if (before === null || typeof before === 'string') return
  throw new WfError(
    'invalid_job',
    `${preview(path, 80)} is ${kindOf(before)}, and ${preview(value, 60)} is text`,
    {
      hint: `if text is meant, put it in double quotes inside single ones: '${path}=${preview(value, 60)}'`,
    },
  )
}

/** A copy, so that two jobs or two paths changed by one command never share an object. */
function copied({ path, value }: VariableChange, maxBytes: number): unknown {
  const json = toJson(value, {
    maxBytes,
    what: `the value for ${preview(path, 80)}`,
    setting: sizeSettings.variables,
  })
  if (!json.ok) throw new WfError('invalid_job', json.refusal)
  return JSON.parse(json.text)
}

function below(value: object, key: string, { path, add }: VariableChange): object {
  const member = ownMember(value, key)
  if (member === undefined) {
    if (!add) throw missing(path)
    const made = {}
    write(value, key, made, path)
    return made
  }
  if (typeof member.value === 'object' && member.value !== null) return member.value
  throw new WfError(
    'invalid_job',
    `${preview(path, 80)} leads through ${preview(key, 60)}, which is ${kindOf(member.value)} and has no members`,
  )
}

/** Not the value itself: it may be a secret, and nothing in a sentence says so. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return (
    { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object'
  )
}

/** What stands at a path (`parsePath`); undefined when nothing does. */
export function valueAt(root: object, keys: readonly string[]): unknown {
  let value: unknown = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    value = ownMember(value, key)?.value
  }
  return value
}

function ownMember(value: object, key: string): { value: unknown } | undefined {
  if (Array.isArray(value) && !isIndex(key)) return undefined
  const descriptor = Object.getOwnPropertyDescriptor(value, key)
  return descriptor && { value: descriptor.value }
}

function write(parent: object, key: string, value: unknown, path: string): void {
  if (Array.isArray(parent) && !(isIndex(key) && Number(key) <= parent.length)) {
    throw new WfError(
      'invalid_job',
      `${preview(path, 80)}: ${preview(key, 40)} is no place in a list of ${parent.length}`,
      {
        hint: `places are 0 to ${parent.length}, where ${parent.length} appends`,
      },
    )
  }
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key)
}

function missing(path: string): WfError {
  return new WfError('invalid_job', `the variables have no ${preview(path, 80)}`, {
    hint: 'check the spelling, or give --add to create it',
  })
}

function recordable(value: unknown): unknown {
  const json = toJson(value, { maxBytes: recordedBytes, what: 'the value' })
  // Copied, for a later change may reach into it.
  return json.ok ? JSON.parse(json.text) : `(${preview(value, 100)})`
}
