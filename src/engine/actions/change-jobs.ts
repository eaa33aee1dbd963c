/** Resolve, retry, dlq retry, cancel, discard and update: one flow over jobs chosen by key or by selector. */
import { finalStates, jobStates } from '../../domain/job.ts'
import { namedTargets, operationLimits, type Operation } from '../../domain/operation.ts'
import { runsAgain, type Applied, type Resolution } from '../../domain/resolution.ts'
import type { Selector } from '../../domain/selector.ts'
import { selectorText } from '../../domain/selector-text.ts'
import type { StoreReader } from '../../store/port.ts'
import { changeMany } from '../bulk.ts'
import { changeVerified, type VerifiedEnd, type VerifiedWords } from '../canary-rollout.ts'
import { foretellResolution } from '../dry-run.ts'
import { withinSizes } from '../engine.ts'
import type { ActionContext, Run } from './action.ts'
import { impactOf, type Impact } from './impact.ts'
import { freeze, type Bound, type Target, type TargetList } from './targets.ts'

/** The verb with its options and the reason. */
export type JobChange = Omit<Resolution, 'jobKey' | 'who' | 'operation' | 'variablesBytes'>

export interface JobsInput {
  change: JobChange
  list: TargetList
  /** Keys as given: taken as they are when the selector is empty, else narrowed by it. */
  keys?: readonly number[] | undefined
  selector: Selector
  bound?: Bound | undefined
}

export interface JobsPlan {
  change: JobChange
  /** Each once. */
  keys: readonly number[]
  /** The jobs behind the keys; empty when the keys were given. */
  targets: readonly Target[]
  /** Matched but skipped, because running them again unchanged would repeat their damage. */
  guarded: readonly Target[]
  /** What was meant, for the record. */
  meant: string
}

/** Freezes the targets. A selector that names no state leaves out finished jobs. */
export async function planJobs(
  reader: StoreReader,
  { change, list, keys, selector, bound }: JobsInput,
): Promise<JobsPlan> {
  if (keys && isEmpty(selector)) return { change, keys, targets: [], guarded: [], meant: meantText({ keys }) }
  const narrowed = keys ? { ...selector, keys } : selector
  const meant = { verb: change.verb, list, selector: keys ? narrowed : unfinished(list, narrowed) }
  const { targets, guarded } = await freeze(reader, meant, bound)
  return {
    ...{ change, targets, guarded },
    keys: targets.map(({ key }) => key),
    meant: meantText(narrowed, bound),
  }
}

export const isEmpty = (selector: Selector): boolean => Object.keys(selector).length === 0

function unfinished(list: TargetList, selector: Selector): Selector {
  return list === 'incidents' || selector.states
    ? selector
    : { ...selector, states: jobStates.filter((state) => !finalStates.includes(state)) }
}

/** A selector as it is recorded: flags as typed, and keys. */
export function meantText({ keys = [], ...narrowed }: Selector, { limit, sort }: Bound = {}): string {
  const parts = [
    ...[selectorText(narrowed), namedTargets(keys)],
    ...[limit === undefined ? '' : `--limit ${limit}`, sort === undefined ? '' : `--sort ${sort}`],
  ]
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, operationLimits.selectorCharacters)
}

export interface JobsPreview {
  /** What would still block the jobs afterwards. */
  impact: readonly Impact[]
  /** What the history would keep of the first few jobs that change. */
  changes: readonly { key: number; change: Record<string, unknown> }[]
}

const mostPreviewed = 5
const previewBatch = 200

/** Applies the store's rules without writing. */
export async function previewJobs(
  { engine, who }: ActionContext,
  { change, keys }: JobsPlan,
  { signal, onBatch }: Run<Applied> = {},
): Promise<JobsPreview> {
  const types: { type: string }[] = []
  const changes: { key: number; change: Record<string, unknown> }[] = []
  for (let start = 0; start < keys.length && !signal?.aborted; start += previewBatch) {
    const batch = keys.slice(start, start + previewBatch)
    const foretold = await Promise.all(
      batch.map((jobKey) =>
        foretellResolution(engine.reader, withinSizes({ ...change, who, jobKey }, engine.sizes)),
      ),
    )
    for (const { applied, type, change: changed } of foretold) {
      if (!changed) continue
      if (type !== null) types.push({ type })
      if (changes.length < mostPreviewed && Array.isArray(changed['variables']))
        changes.push({ key: applied.jobKey, change: changed })
    }
    onBatch?.(foretold.map(({ applied }) => applied))
  }
  return { impact: runsAgain(change.verb) ? await impactOf(engine, types) : [], changes }
}

export interface JobsRun extends Run<Applied> {
  /** Says of a guarded target why it was skipped. */
  whySkipped?: (target: Target) => string
}

/** Changes the jobs in batches as one operation. Null when the plan has no targets: nothing is recorded. */
export async function applyJobs(
  context: ActionContext,
  plan: JobsPlan,
  { whySkipped, ...run }: JobsRun = {},
): Promise<Operation | null> {
  const bulk = bulkOf(context, plan, whySkipped)
  return bulk.keys.length + bulk.passedBy.length === 0 ? null : changeMany({ ...bulk, ...run })
}

export interface Verify extends Pick<JobsRun, 'perSecond' | 'signal' | 'whySkipped'> {
  /** Jobs that are resolved first; null: all at once. */
  canary: number | null
  /** How long to wait for the new attempts, in ms. */
  verifyMs: number
  told?: Partial<VerifiedWords> | undefined
}

/** As `applyJobs`, and waits for the new attempts; with canaries the others follow only if all of those come through. */
export function applyAndVerify(
  context: ActionContext,
  plan: JobsPlan,
  { whySkipped, ...verify }: Verify,
): Promise<VerifiedEnd> {
  return changeVerified({ ...bulkOf(context, plan, whySkipped), ...verify })
}

function bulkOf(
  { engine, clock, who }: ActionContext,
  { change, keys, guarded, meant }: JobsPlan,
  whySkipped: JobsRun['whySkipped'],
) {
  return {
    ...{ engine, clock, keys, resolution: { ...change, who }, selector: meant },
    passedBy: guarded.map((target) => ({ jobKey: target.key, why: whySkipped?.(target) ?? target.kind })),
  }
}
