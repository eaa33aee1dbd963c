/** What `types pause` and `types resume` share. Unknown types are refused unless forced. */
import { Args } from '@oclif/core'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { WfError } from '../../errors.ts'
import { limits } from '../../domain/job.ts'
import { preview } from '../../text/preview.ts'
import { applyPause, unknownTypes, type PausePlan } from '../../engine/actions/types.ts'
import type { Reader } from '../../engine/engine.ts'
import { BaseCommand } from '../base-command.ts'
import { iso } from '../../terminal/json.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import { say } from '../../terminal/safe.ts'
import { relative } from '../../terminal/time.ts'
import { readText } from '../../text/parse-input.ts'

export const typesArg = () =>
  Args.string({
    description: 'names of the types; - reads them from standard input, one a line',
    required: true,
    multiple: true,
    ignoreStdin: true,
  })

export abstract class TypesChange extends BaseCommand {
  protected async pauseOrResume(
    words: readonly string[],
    {
      force,
      untilAt = null,
      ...change
    }: Omit<PausePlan, 'types' | 'untilAt'> & {
      untilAt?: number | null
      force: boolean
    },
  ): Promise<void> {
    const types = await readTypes(words)
    const actions = await this.openActions()
    if (!force) await refuseUnknown(actions.engine.reader, types, change.paused)
    const paused = await applyPause(actions, { ...change, untilAt, types })
    const changed = new Set(paused.changed)
    const operation = paused.operation && { ...paused.operation, suffix: this.storeSuffix }
    const done = change.paused ? 'paused' : 'resumed'
    const sum = {
      matched: types.length,
      changed: changed.size,
      skipped: types.length - changed.size,
      failed: 0,
    }
    this.output.document({
      ...sum,
      ...madeDocument(operation),
      items: types.map((type) => ({ type, status: changed.has(type) ? 'changed' : 'skipped' })),
      ...(untilAt === null ? {} : { pausedUntil: iso(untilAt) }),
    })
    const { green, dim } = this.output.paint
    const until =
      untilAt === null ? say`` : say`  ${dim(say`until ${iso(untilAt)}, ${relative(untilAt, this.now())}`)}`
    this.output.print(
      ...types.map((type) =>
        changed.has(type)
          ? say`${green(done)} ${type}${until}`
          : say`${dim('skipped')} ${type}  ${change.paused ? 'it was paused already' : 'it was not paused'}`,
      ),
    )
    if (operation) this.output.print(operationLine(operation, this.output.paint))
    if (types.length === 0) this.output.note(say`no types were given on standard input`)
  }
}

/** Types as typed, `-` replaced by those on standard input; each once, in order. */
async function readTypes(words: readonly string[]): Promise<readonly string[]> {
  const types = new Set<string>()
  for (const word of words) {
    for (const type of word === '-' ? await typesOnInput() : [word])
      types.add(readText(type, 'the type', limits.typeCharacters))
  }
  return [...types]
}

async function typesOnInput(): Promise<readonly string[]> {
  const [{ notUtf8, openSource }, { linesOf }] = await Promise.all([
    import('../input/input.ts'),
    import('../input/lines.ts'),
  ])
  const types: string[] = []
  for await (const { text, number, broken } of linesOf(
    (await openSource('-')).chunks,
    limits.typeCharacters + 1,
  )) {
    if (broken) throw notUtf8(`line ${number}`)
    if (text.trim() !== '') types.push(text)
  }
  return types
}

/** Throws a WfError `not_found` if one of the types is unknown. */
async function refuseUnknown(reader: Reader, types: readonly string[], paused: boolean): Promise<void> {
  const { unknown, known } = await unknownTypes(reader, types)
  const [type] = unknown
  if (type === undefined) return
  const { location } = await reader.info()
  const otherwise = paused
    ? '--force pauses it before its first job'
    : 'wf types list shows those that there are'
  throw new WfError(
    'not_found',
    `there is no type ${preview(type, 80)} in ${location}: no job and no worker has named it`,
    { hint: didYouMean(nearWords([type], known), otherwise) },
  )
}
