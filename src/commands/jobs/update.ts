import { WfError } from '../../errors.ts'
import { limits } from '../../domain/job.ts'
import { instantFlag, integerFlag, keysArg, retriesFlag } from '../../cli/flags.ts'
import { ChangeCommand, jobsChangeFlags } from '../../cli/changes/change-command.ts'
import { prose } from '../../text/dedent.ts'
import { jobChange } from '../../cli/changes/job-change.ts'

export default class JobsUpdate extends ChangeCommand {
  static override summary = 'Change how often, how soon or when waiting jobs run.'
  static override description =
    prose`Of jobs that are available or waiting; what was counted of their failures stays. A running job is refused, because the
end of its attempt decides what becomes of it, and so are jobs that have stopped: wf incidents resolve runs those again.
With a selector instead of keys it asks first, and where nobody can be asked it needs --yes. wf undo takes it back.`
  static override examples = [
    { description: 'before all others', command: '<%= config.bin %> jobs update 17 --priority 100' },
    {
      description: 'not tonight',
      command:
        '<%= config.bin %> jobs update --type report --state available --at 2030-01-31T09:00:00Z --yes',
    },
    '<%= config.bin %> jobs update 17 18 --retries 10 --reason "the bank is slow today"',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...jobsChangeFlags,
    retries: retriesFlag('executions left, 1 to 1,000'),
    priority: integerFlag(
      { min: -limits.priority, max: limits.priority },
      { summary: 'higher starts first' },
    ),
    at: instantFlag({
      summary:
        'start not before this instant, such as 2030-01-31T09:00:00Z; one that has passed makes them due now',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsUpdate)
    const { retries, priority, at } = flags
    if (retries === undefined && priority === undefined && at === undefined) {
      throw new WfError('usage', 'nothing to change was given', {
        hint: 'give --retries, --priority or --at',
      })
    }
    await this.change(args.keys, flags, {
      ...{ command: 'jobs update', done: 'updated', list: 'jobs' },
      change: jobChange('update', flags),
    })
  }
}
