import { DlqChange, dlqChangeFlags } from '../../cli/dlq-change.ts'
import { againFlags } from '../../cli/change-flags.ts'
import { keysArg } from '../../cli/flags.ts'
import { resolutionOf } from '../../cli/resolution-of.ts'
import { prose } from '../../cli/prose.ts'

export default class DlqRetry extends DlqChange {
  static override summary = 'Take dead letters back to work.'
  static override description =
    prose`The job keeps its key and its history; its incident, if it has one, is closed with the dead letter. With a selector
instead of keys it asks first, and where nobody can be asked it needs --yes.`
  static override examples = [
    '<%= config.bin %> dlq retry 17',
    { description: 'mend what made it poison', command: '<%= config.bin %> dlq retry 17 --set amount=10' },
    '<%= config.bin %> dlq retry --type send-mail --kind exhausted --retries 5 --yes',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = { ...dlqChangeFlags, ...againFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqRetry)
    await this.change(this.wanted(args.keys, flags), { verb: 'dlq retry', done: 'taken back to work', resolution: resolutionOf('dlq_retry', flags) })
  }
}
