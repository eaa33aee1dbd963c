/** Which jobs a verb is about: counted and fixed before anything changes, and agreed to where the words were wide. */
import { WfError } from '../../errors.ts'
import type { Store } from '../../store/port.ts'
import type { OperationVerb } from '../../domain/operation.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import { countedBy, heldWords, impactOf } from './impact.ts'
import { warnFinal } from '../output/operation-line.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'

/** A job that a verb is about, with what tells it from others. */
export interface Target {
  key: number
  type: string
  /** Kind of its incident, reason of its dead letter, or its state. */
  kind: string
}

export interface Approval {
  /** `dead letter`: what is counted; `job` unless told. */
  noun?: string
  targets: readonly Target[]
  /** Meant too, and passed by. */
  guarded?: readonly Target[]
  /** `cancelled for good`. */
  done: string
  verb: OperationVerb
  /** Where what would hold them is looked up; null for what is not run again. */
  again: Store | null
  yes: boolean
  /** Runs where nobody can be asked; otherwise that needs `--yes`. */
  unasked: boolean
}

/** Throws WfError `refused` when nobody agrees. */
export async function approve(
  output: Output,
  { targets, guarded = [], done, verb, again, yes, unasked, noun = 'job' }: Approval,
): Promise<void> {
  if (yes || targets.length === 0) return
  const count = counted(targets.length, noun)
  if (!canAsk(output)) {
    if (unasked) return
    const kinds = joined(groupsOf(targets).map(groupWords), ', ')
    throw new WfError('refused', say`${count} (${kinds}) would be ${done}: nobody is here to agree`.text, {
      hint: 'add --yes, or --dry-run to look first',
    })
  }
  output.note(say`${count} would be ${done}:`, ...sampleLines(targets))
  if (again)
    output.note(
      ...heldWords(await impactOf(again, countedBy(targets.map(({ type }) => type))), output.errPaint),
    )
  if (guarded.length > 0)
    output.note(say`passed by, because it would do harm again:`, ...sampleLines(guarded))
  warnFinal(output, verb)
  if (!(await confirm(say`Go on?`))) throw new WfError('refused', 'nothing was changed')
}

/** By kind and type, with a few keys of each: what a dry run is about. */
export function sampleLines(targets: readonly Target[]): readonly Safe[] {
  return groupsOf(targets).map((group) => say`  ${groupWords(group)}${sampleOf(group)}`)
}

interface Group {
  count: number
  /** Null: of all sorts. */
  kind: string | null
  type: string
  keys: readonly number[]
}

const mostGroups = 10
const mostKeys = 5

/** By kind and type, the largest first; the small ones of a long list together. */
function groupsOf(targets: readonly Target[]): readonly Group[] {
  const groups = new Map<string, { kind: string; type: string; keys: number[] }>()
  for (const { kind, type, key } of targets) {
    const name = JSON.stringify([kind, type])
    const group = groups.get(name) ?? { kind, type, keys: [] }
    group.keys.push(key)
    groups.set(name, group)
  }
  const sorted = [...groups.values()]
    .map((group): Group => ({ ...group, count: group.keys.length }))
    .sort((a, b) => b.count - a.count)
  if (sorted.length <= mostGroups) return sorted
  const rest = sorted.slice(mostGroups - 1)
  const count = rest.reduce((sum, group) => sum + group.count, 0)
  return [
    ...sorted.slice(0, mostGroups - 1),
    { count, kind: null, type: `${rest.length} other kinds and types`, keys: [] },
  ]
}

function groupWords({ count, kind, type }: Group): Safe {
  return kind === null ? say`${thousands(count)} of ${type}` : say`${thousands(count)} ${kind} of ${type}`
}

function sampleOf({ keys }: Group): Safe {
  return keys.length === 0
    ? say``
    : say` (${joined([...keys.slice(0, mostKeys), ...(keys.length > mostKeys ? ['…'] : [])], ', ')})`
}

/** Verbs that change jobs never mean all of them by saying nothing. */
export function needsTarget(verb: string): WfError {
  return new WfError('usage', `which jobs? wf ${verb} takes keys or a selector`, {
    hint: `wf ${verb} KEY…, or --help for the selectors`,
  })
}
