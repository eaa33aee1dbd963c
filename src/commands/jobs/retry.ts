import { ChangeCommand, jobsChangeFlags } from '../../cli/changes/change-command.ts'
import { againFlags } from '../../cli/changes/change-flags.ts'
import { keysArg } from '../../cli/flags.ts'
import { jobChange } from '../../cli/changes/job-change.ts'
import { guardedIncidentKinds } from '../../domain/incident.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsRetry extends ChangeCommand {
  static override summary = 'Run jobs again, or sooner.'
  static override description =
    prose`A failed job is resolved, a dead one taken out of the dead letters, a waiting one is due now; counters of failures
start anew and the deadline is lifted. An available job is skipped; a running or finished one is refused (exit 5).
With a selector instead of keys it asks first, and where nobody can be asked it needs --yes. A selector passes by jobs that
stopped as ${guardedIncidentKinds.join(', ')}: as they are, they repeat the damage; keys and --kind take them.`
  static override examples = [
    '<%= config.bin %> jobs retry 17 18',
    {
      description: 'those that wait for their backoff',
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
