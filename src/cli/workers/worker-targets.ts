/** Reads which workers are meant: ids and labels as `wf workers list` prints them, ids without what follows their `#`, cut ids. */
import { Args } from '@oclif/core'
import { findWorkers, type FoundWorkers } from '../../engine/actions/workers.ts'
import type { Reader } from '../../engine/engine.ts'
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { readText } from '../../text/parse-input.ts'

export const workersArg = () =>
  Args.custom<string>({ parse: async (text) => readText(text, 'the worker') })({
    description: 'ids or labels, as wf workers list prints them',
    required: true,
    multiple: true,
    ignoreStdin: true,
  })

/** Throws a WfError `usage` for a cut id that several ids begin with. */
export async function meantWorkers(reader: Reader, words: readonly string[]): Promise<FoundWorkers> {
  const found = await findWorkers(reader, words)
  const [cut] = found.ambiguous
  if (cut === undefined) return found
  const { word, ids } = cut
  throw new WfError(
    'usage',
    `${preview(word, 60)} is the beginning of ${ids.length} ids: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`,
    { hint: 'wf workers list --ids prints them in full' },
  )
}
