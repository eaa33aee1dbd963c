import { ChangeCommand, dlqChangeFlags } from '../../cli/changes/change-command.ts'
import { prose } from '../../text/dedent.ts'
import { keysArg } from '../../cli/flags.ts'
import { jobChange } from '../../cli/changes/job-change.ts'

export default class DlqDiscard extends ChangeCommand {
  static override summary = 'Give dead letters up. This is final.'
  static override description =
    prose`The job is cancelled and never runs again; nothing brings it back. The letter stays in the list of closed ones until it
is pruned. With a selector instead of keys it asks first, and where nobody can be asked it needs --yes.`
  static override examples = [
    '<%= config.bin %> dlq discard 17 --reason "the customer has left"',
    '<%= config.bin %> dlq discard --type send-mail --kind poison --dry-run',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = dlqChangeFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqDiscard)
    await this.change(args.keys, flags, {
      ...{ command: 'dlq discard', done: 'discarded for good', list: 'dlq' },
      change: jobChange('discard', flags),
    })
  }
}
