/** What `types pause` and `types resume` share. */
import { Args } from '@oclif/core'
import { limits } from '../domain/job.ts'
import { BaseCommand } from './base-command.ts'
import { say } from './safe.ts'
import { readText } from './values.ts'
import { who } from './who.ts'

export const typesArg = () =>
  Args.custom<string>({ parse: async (text) => readText(text, 'the type', limits.typeCharacters) })({
    description: 'names of the types',
    required: true,
    multiple: true,
    ignoreStdin: true,
  })

export abstract class TypesChange extends BaseCommand {
  protected async pauseOrResume(typed: readonly string[], pause: { reason: string | null } | null): Promise<void> {
    const types = [...new Set(typed)]
    const engine = await this.openEngine()
    const changed = new Set(await engine.pauseTypes(types, { pause, who: who() }))
    const done = pause ? 'paused' : 'resumed'
    const sum = { matched: types.length, changed: changed.size, skipped: types.length - changed.size, failed: 0 }
    this.output.document({ ...sum, items: types.map((type) => ({ type, status: changed.has(type) ? 'changed' : 'skipped' })) })
    const { green, dim } = this.output.paint
    this.output.print(
      ...types.map((type) =>
        changed.has(type) ? say`${green(done)} ${type}` : say`${dim('skipped')} ${type}  it was ${pause ? 'paused' : 'not paused'} already`,
      ),
    )
  }
}
