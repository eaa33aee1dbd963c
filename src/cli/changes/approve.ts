/** Asks before a change of many targets, with their count, a sample and what would still block them. */
import type { OperationVerb } from '../../domain/operation.ts'
import { impactOf } from '../../engine/actions/impact.ts'
import type { Target } from '../../engine/actions/targets.ts'
import type { Engine } from '../../engine/engine.ts'
import { WfError } from '../../errors.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'
import { warnFinal } from '../output/operation-line.ts'
import { heldWords } from './impact.ts'

export interface Approval {
  /** What is counted: `dead letter` (default: `job`). */
  noun?: string
  targets: readonly Target[]
  /** Matched and skipped. */
  guarded?: readonly Target[]
  /** `cancelled for good`. */
  done: string
  verb: OperationVerb
  /** Where to look up what would block the jobs; null for jobs that don't run again. */
  again: Engine | null
  yes: boolean
  /** True: runs without a terminal; false: that needs `--yes`. */
  unasked: boolean
}

/** Throws a WfError `refused` without agreement. */
export async function approve(
  output: Output,
  { targets, guarded = [], done, verb, again, yes, unasked, noun = 'job' }: Approval,
): Promise<void> {
  if (yes || targets.length === 0) return
  const count = counted(targets.length, noun)
  if (!canAsk(output)) {
    if (unasked) return
    const kinds = joined(groupsOf(targets).map(groupWords), ', ')
    throw new WfError(
      'refused',
      say`${count} (${kinds}) would be ${done}, and there is no terminal to confirm on`.text,
      {
        hint: 'add --yes, or --dry-run to look first',
      },
    )
  }
  output.note(say`${count} would be ${done}:`, ...sampleLines(targets))
  if (again) output.note(...heldWords(await impactOf(again, targets), output.errPaint))
  if (guarded.length > 0)
    output.note(say`passed by, because it would do harm again:`, ...sampleLines(guarded))
  warnFinal(output, verb)
  if (!(await confirm(say`Go on?`))) throw new WfError('refused', 'nothing was changed')
}

/** Groups the targets by kind and type, with a few keys of each. */
export function sampleLines(targets: readonly Target[]): readonly Safe[] {
  return groupsOf(targets).map((group) => say`  ${groupWords(group)}${sampleOf(group)}`)
}

interface Group {
  count: number
  /** Null: of several kinds. */
  kind: string | null
  type: string
  keys: readonly number[]
}

const mostGroups = 10
const mostKeys = 5

/** By kind and type, the largest first; the smallest of a long list as one group. */
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

/** Verbs that change jobs never mean all of them by default. */
export function needsTarget(verb: string): WfError {
  return new WfError('usage', `which jobs? wf ${verb} takes keys or a selector`, {
    hint: `wf ${verb} KEY…, or --help for the selectors`,
  })
}
