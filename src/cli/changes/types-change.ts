/** What `types pause` and `types resume` share. A name that nobody has heard of is a slip until somebody insists. */
import { Args } from '@oclif/core'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { WfError } from '../../errors.ts'
import { limits } from '../../domain/job.ts'
import { preview } from '../../text/preview.ts'
import type { Engine } from '../../engine/engine.ts'
import { asOperation, pauseOperation } from '../../engine/operation-log.ts'
import type { Store } from '../../store/port.ts'
import { BaseCommand } from '../base-command.ts'
import { iso } from '../../terminal/json.ts'
import { madeDocument, operationLine, type MadeOperation } from '../output/operation-line.ts'
import { say } from '../../terminal/safe.ts'
import { relative } from '../../terminal/time.ts'
import { readText } from '../input/values.ts'
import { who } from '../input/actor.ts'
import type { PauseChange } from '../../engine/plans/pauses.ts'

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
    { force, ...change }: Omit<PauseChange, 'who'> & { force: boolean },
  ): Promise<void> {
    const { untilAt = null } = change
    const types = await readTypes(words)
    const engine = await this.openEngine()
    if (!force) await refuseUnknown(engine.store, types, change)
    const pause = { ...change, who: who() }
    const { changed, operation } = await this.#changed(engine, types, pause)
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

  async #changed(
    engine: Engine,
    types: readonly string[],
    pause: PauseChange,
  ): Promise<{ changed: ReadonlySet<string>; operation: MadeOperation | null }> {
    if (types.length === 0) return { changed: new Set(), operation: null }
    const named = pauseOperation(types, pause)
    const { result, operation } = await asOperation(engine.store, named, (id) =>
      engine.pauseTypes(types, { ...pause, operation: id }),
    )
    return { changed: new Set(result), operation: { ...operation, suffix: this.storeSuffix } }
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

/** Nothing is changed when one of several is unknown. */
async function refuseUnknown(
  store: Store,
  types: readonly string[],
  { paused }: { paused: boolean },
): Promise<void> {
  const known = (await store.types(store.now())).map(({ type }) => type)
  const names = new Set(known)
  for (const type of types) {
    if (names.has(type) || (await store.jobs({ types: [type] }, { limit: 1 })).items.length > 0) continue
    const { location } = await store.info()
    const otherwise = paused
      ? '--force pauses it before its first job'
      : 'wf types list shows those that there are'
    throw new WfError(
      'not_found',
      `there is no type ${preview(type, 80)} in ${location}: no job and no worker has named it`,
      {
        hint: didYouMean(nearWords([type], known), otherwise),
      },
    )
  }
}
