import { textFlag } from '../../cli/flags.ts'
import { typesArg, TypesChange } from '../../cli/changes/types-change.ts'

export default class TypesResume extends TypesChange {
  static override summary = 'Let jobs of a paused type start again.'
  static override description =
    'What has become due meanwhile starts on a ramp: one job in the first second, two in the next, then four, over all workers. The row of stops that may have paused it counts from 0 again.'
  static override examples = ['<%= config.bin %> types resume charge-payment --reason "provider is back"']
  static override args = { types: typesArg() }
  static override flags = { reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TypesResume)
    await this.pauseOrResume(args.types, { paused: false, reason: flags.reason ?? null, force: false })
  }
}
