/** Deletes stored copies of dead letters. */
import type { Operation } from '../../domain/operation.ts'
import type { Applied } from '../../domain/resolution.ts'
import type { Selector } from '../../domain/selector.ts'
import { pagesOf } from '../../store/page.ts'
import type { StoreReader } from '../../store/port.ts'
import { foretellPurge } from '../dry-run.ts'
import { writer } from '../engine.ts'
import { purgeMany } from '../purge.ts'
import type { ActionContext, Run } from './action.ts'
import { isEmpty, meantText } from './change-jobs.ts'
import type { Bound, Target } from './targets.ts'

export interface PurgeInput {
  keys?: readonly number[] | undefined
  selector: Selector
  bound?: Bound | undefined
  /** Open ones too: their jobs are cancelled for good first. */
  open: boolean
  reason: string | null
}

export interface PurgePlan extends Pick<PurgeInput, 'open' | 'reason'> {
  keys: readonly number[]
  /** The dead letters behind the keys; empty when the keys were given. */
  targets: readonly Target[]
  /** Open dead letters that matched and are left. */
  leftOpen: number
  meant: string
}

export async function planPurge(
  reader: StoreReader,
  { keys, selector, bound = {}, open, reason }: PurgeInput,
): Promise<PurgePlan> {
  const chosen = { open, reason }
  if (keys && isEmpty(selector))
    return { ...chosen, keys, targets: [], leftOpen: 0, meant: meantText({ keys }) }
  const narrowed = keys ? { ...selector, keys } : selector
  const { targets, leftOpen } = await freezeLetters(reader, narrowed, { ...bound, open })
  return { ...chosen, targets, leftOpen, keys: targets.map(({ key }) => key), meant: meantText(narrowed) }
}

/** `limit` counts what is deleted: open letters that are left don't use it up. */
async function freezeLetters(
  reader: StoreReader,
  selector: Selector,
  { limit = Number.POSITIVE_INFINITY, sort, open }: Bound & { open: boolean },
): Promise<{ targets: readonly Target[]; leftOpen: number }> {
  const targets: Target[] = []
  let leftOpen = 0
  const letters = (page: Parameters<StoreReader['deadLetters']>[1]) =>
    reader.deadLetters({ ...selector, includeClosed: true }, page)
  for await (const { items } of pagesOf(letters, { sort })) {
    for (const { jobKey, type, reason, closedAt } of items) {
      if (closedAt === null && !open) leftOpen += 1
      else targets.push({ key: jobKey, type, kind: closedAt === null ? `${reason} (open)` : reason })
    }
    if (targets.length >= limit) break
  }
  return { targets: targets.slice(0, limit), leftOpen }
}

const previewBatch = 200

export async function previewPurge(
  { engine }: ActionContext,
  { keys, open }: PurgePlan,
  { signal, onBatch }: Run<Applied>,
): Promise<void> {
  for (let start = 0; start < keys.length && !signal?.aborted; start += previewBatch)
    onBatch?.(await foretellPurge(engine.reader, keys.slice(start, start + previewBatch), open))
}

/** Null when the plan has no targets: nothing is recorded. */
export async function applyPurge(
  { engine, clock, who }: ActionContext,
  { keys, open, reason, meant }: PurgePlan,
  run: Run<Applied> = {},
): Promise<Operation | null> {
  if (keys.length === 0) return null
  return purgeMany({ store: engine[writer], clock, keys, open, reason, who, selector: meant, ...run })
}
