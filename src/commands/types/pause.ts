import { Flags } from '@oclif/core'
import { textFlag } from '../../cli/flags.ts'
import { prose } from '../../cli/prose.ts'
import { typesArg, TypesChange } from '../../cli/types-change.ts'

export default class TypesPause extends TypesChange {
  static override summary = 'Let no further job of a type start.'
  static override description =
    prose`Running jobs finish. Jobs may be enqueued and wait. A type is also paused by wf itself when 20 of its attempts in a row ended as
poison or incident. A name that no job and no worker has used is refused (exit 4) unless --force.`
  static override examples = [
    '<%= config.bin %> types pause charge-payment --reason "provider is down"',
    { description: 'all of them', command: '<%= config.bin %> types list --ids | <%= config.bin %> types pause - --reason release' },
  ]
  static override args = { types: typesArg() }
  static override flags = {
    reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }),
    force: Flags.boolean({ summary: 'also types of which there is no job yet and that no worker has declared' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TypesPause)
    await this.pauseOrResume(args.types, { paused: true, reason: flags.reason ?? null, force: flags.force })
  }
}
