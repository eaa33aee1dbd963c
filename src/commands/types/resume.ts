import { textFlag } from '../../cli/flags.ts'
import { typesArg, TypesChange } from '../../cli/changes/types-change.ts'

export default class TypesResume extends TypesChange {
  static override summary = 'Resume paused job types'
  static override description =
    'Jobs that have become due start on a ramp over all workers: one in the first second, two in the next, then four. The count of stops in a row that pauses a type restarts at 0.'
  static override examples = ['<%= config.bin %> types resume charge-payment --reason "provider is back"']
  static override args = { types: typesArg() }
  static override flags = { reason: textFlag({ summary: 'reason, for the record', helpValue: 'TEXT' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TypesResume)
    await this.pauseOrResume(args.types, { paused: false, reason: flags.reason ?? null, force: false })
  }
}
