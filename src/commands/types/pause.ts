import { textFlag } from '../../cli/flags.ts'
import { typesArg, TypesChange } from '../../cli/types-change.ts'

export default class TypesPause extends TypesChange {
  static override summary = 'Let no further job of a type start.'
  static override description =
    'Running jobs finish. Jobs may be enqueued and wait. A type is also paused by wf itself when 20 of its jobs in a row have stopped.'
  static override examples = ['<%= config.bin %> types pause charge-payment --reason "provider is down"']
  static override args = { types: typesArg() }
  static override flags = { reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TypesPause)
    await this.pauseOrResume(args.types, { reason: flags.reason ?? null })
  }
}
