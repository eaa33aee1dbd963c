import { ChangeCommand, jobsChangeFlags } from '../../cli/changes/change-command.ts'
import { keysArg } from '../../cli/flags.ts'
import { jobChange } from '../../cli/changes/job-change.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsCancel extends ChangeCommand {
  static override summary = 'Cancel jobs for good'
  static override description =
    prose`A cancelled job never runs again. Cancelling a running job ends its lease: the handler's signal aborts, and its result is
ignored. With a selector instead of keys it prompts on a terminal, and needs --yes elsewhere.`
  static override examples = [
    '<%= config.bin %> jobs cancel 17 --reason "ordered twice"',
    '<%= config.bin %> jobs cancel --type send-mail --state waiting --dry-run',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = jobsChangeFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsCancel)
    await this.change(args.keys, flags, {
      ...{ command: 'jobs cancel', done: 'cancelled for good', list: 'jobs' },
      change: jobChange('cancel', flags),
    })
  }
}
