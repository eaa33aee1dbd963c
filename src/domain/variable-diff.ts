/** What was changed in variables that somebody edited as a whole, as the changes that `--set` makes. */
import { isJsonObject } from '../text/json.ts'
import type { VariableChange } from './resolution.ts'
import { pathText } from './variable-path.ts'

/** In the order of `after`; what was taken away follows. A list of another length is one change: its places have moved. */
export function variableDiff(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): readonly VariableChange[] {
  return membersDiff(before, after, [])
}

function diff(before: unknown, after: unknown, path: readonly string[]): readonly VariableChange[] {
  if (isJsonObject(before) && isJsonObject(after)) return membersDiff(before, after, path)
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item, index) => diff(before[index], item, [...path, String(index)]))
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path: pathText(path), value: after, add: false }]
}

function membersDiff(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: readonly string[],
): readonly VariableChange[] {
  const changed = Object.entries(after).flatMap(([name, value]): readonly VariableChange[] => {
    const at = [...path, name]
    return Object.hasOwn(before, name)
      ? diff(before[name], value, at)
      : [{ path: pathText(at), value, add: true }]
  })
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return [
    ...changed,
    ...gone.map(
      (name): VariableChange => ({ path: pathText([...path, name]), value: null, remove: true, add: false }),
    ),
  ]
}
