import { WfError } from '../../errors.ts'
import { limits } from '../../domain/job.ts'
import { instantFlag, integerFlag, keysArg, retriesFlag } from '../../cli/flags.ts'
import { ChangeCommand, jobsChangeFlags } from '../../cli/changes/change-command.ts'
import { prose } from '../../text/dedent.ts'
import { jobChange } from '../../cli/changes/job-change.ts'

export default class JobsUpdate extends ChangeCommand {
  static override summary = 'Change retries, priority or start of jobs'
  static override description =
    prose`Changes jobs that are available or waiting; their failure counters stay. Running jobs are refused, because the end of the attempt
decides their state, and so are stopped ones: wf incidents resolve retries those.
With a selector instead of keys it prompts on a terminal, and needs --yes elsewhere. wf undo reverts it.`
  static override examples = [
    { description: 'start it before all others', command: '<%= config.bin %> jobs update 17 --priority 100' },
    {
      description: 'postpone reports to the morning',
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
      { summary: 'priority; higher starts first' },
    ),
    at: instantFlag({
      summary: 'earliest start, such as 2030-01-31T09:00:00Z; a past instant means now',
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
