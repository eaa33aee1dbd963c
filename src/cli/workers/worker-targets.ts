/** Which workers are meant by words as `wf workers list` prints them: ids, labels, an id without what follows its #, or cut ids. */
import { Args } from '@oclif/core'
import { WfError } from '../../errors.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { preview } from '../../text/preview.ts'
import type { StoreReader } from '../../store/port.ts'
import { readText } from '../input/values.ts'
import type { WorkerView } from '../../store/views.ts'

export const workersArg = () =>
  Args.custom<string>({ parse: async (text) => readText(text, 'the worker') })({
    description: 'ids or labels, as wf workers list prints them',
    required: true,
    multiple: true,
    ignoreStdin: true,
  })

export interface WorkerTarget {
  id: string
  /** Null: its row is gone, and jobs are left that it ran. */
  row: WorkerView | null
  /** Jobs it holds now. */
  running: number
}

/** What a word meant; `releasedBy` when somebody has released it before. */
export interface MissingWorker {
  id: string
  releasedBy: string | null
  /** Ids and labels that are there and were probably meant. */
  near: readonly string[]
}

/** A finished sentence without a full stop. */
export function missingWords({ id, near }: Pick<MissingWorker, 'id' | 'near'>): string {
  return near.length === 0 ? `there is no worker ${id}` : `there is no worker ${id}: ${didYouMean(near)}`
}

export interface FoundWorkers {
  /** Each once. */
  targets: readonly WorkerTarget[]
  missing: readonly MissingWorker[]
}

/** Throws WfError `usage` for a cut id that several begin with. */
export async function findWorkers(
  store: StoreReader,
  words: readonly string[],
  now: number,
): Promise<FoundWorkers> {
  const rows = await store.workers(now)
  const names = rows.flatMap(({ id, label }) => [label, id])
  const targets = new Map<string, WorkerTarget>()
  const missing: MissingWorker[] = []
  for (const word of new Set(words)) {
    const found = rowsOf(rows, word)
    for (const row of found) targets.set(row.id, { id: row.id, row, running: row.running })
    if (found.length > 0) continue
    const left = await store.running(word)
    if (left.length > 0) targets.set(word, { id: word, row: null, running: left.length })
    else missing.push({ id: word, releasedBy: await releaserOf(store, word), near: nearWords([word], names) })
  }
  return { targets: [...targets.values()], missing }
}

function rowsOf(rows: readonly WorkerView[], word: string): readonly WorkerView[] {
  const exact = rows.filter((row) => means(word, row))
  if (exact.length > 0 || !/.…$/.test(word)) return exact
  // What a narrow terminal left of an id.
  const begun = rows.filter(({ id }) => id.startsWith(word.slice(0, -1)))
  if (begun.length < 2) return begun
  const ids = begun.slice(0, 3).map(({ id }) => id)
  throw new WfError(
    'usage',
    `${preview(word, 60)} is the beginning of ${begun.length} ids: ${ids.join(', ')}${begun.length > 3 ? ' …' : ''}`,
    {
      hint: 'wf workers list --ids prints them in full',
    },
  )
}

const means = (word: string, { id, label }: { id: string; label: string }) =>
  id === word || label === word || id.replace(/#[^#]*$/, '') === word

async function releaserOf(store: StoreReader, word: string): Promise<string | null> {
  const rows = await store.history(1_000)
  return (
    rows.find(({ event, detail }) => event === 'worker_released' && namesWorker(detail, word))?.who ?? null
  )
}

function namesWorker(detail: string | null, word: string): boolean {
  const { worker, label } = JSON.parse(detail ?? '{}') as { worker?: unknown; label?: unknown }
  return means(word, { id: String(worker), label: String(label) })
}
