import { ChangeCommand, jobsChangeFlags } from '../../cli/changes/change-command.ts'
import { againFlags } from '../../cli/changes/change-flags.ts'
import { keysArg } from '../../cli/flags.ts'
import { jobChange } from '../../cli/changes/job-change.ts'
import { guardedIncidentKinds } from '../../domain/incident.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsRetry extends ChangeCommand {
  static override summary = 'Retry jobs now'
  static override description =
    prose`Resolves failed jobs, takes dead ones out of the dead letters, and makes waiting ones due now. Failure counters start at 0 and
the deadline is cleared. Available jobs are skipped; running and finished ones are refused (exit 5).
With a selector instead of keys it prompts on a terminal, and needs --yes elsewhere. A selector skips jobs that stopped as
${guardedIncidentKinds.join(', ')}, because unchanged they repeat their damage; keys and --kind select them.`
  static override examples = [
    '<%= config.bin %> jobs retry 17 18',
    {
      description: 'retry jobs that wait for their backoff',
      command: '<%= config.bin %> jobs retry --type send-mail --state waiting --yes',
    },
    '<%= config.bin %> jobs list --type send-mail --state waiting --ids | <%= config.bin %> jobs retry - --retries 3',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = { ...jobsChangeFlags, ...againFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsRetry)
    await this.change(args.keys, flags, {
      ...{ command: 'jobs retry', done: 'due now', list: 'jobs' },
      change: jobChange('retry', flags),
    })
  }
}
