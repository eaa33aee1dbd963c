import { ChangeCommand, dlqChangeFlags } from '../../cli/changes/change-command.ts'
import { prose } from '../../text/dedent.ts'
import { keysArg } from '../../cli/flags.ts'
import { jobChange } from '../../cli/changes/job-change.ts'

export default class DlqDiscard extends ChangeCommand {
  static override summary = 'Discard dead letters and cancel their jobs'
  static override description =
    prose`Cancels the jobs: they never run again, and this cannot be undone. The dead letters stay among the closed ones until retention
removes them. With a selector instead of keys it prompts on a terminal, and needs --yes elsewhere.`
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
