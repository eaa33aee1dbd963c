import { JobsChange, jobsChangeFlags } from '../../cli/changes/jobs-change.ts'
import { keysArg } from '../../cli/flags.ts'
import { resolutionOf } from '../../cli/changes/resolution-of.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsCancel extends JobsChange {
  static override summary = 'End jobs for good.'
  static override description =
    prose`A cancelled job never runs again. A running one loses its lease: its handler is told to stop, and whatever it reports
afterwards changes nothing. With a selector instead of keys it asks first, and where nobody can be asked it needs --yes.`
  static override examples = [
    '<%= config.bin %> jobs cancel 17 --reason "ordered twice"',
    '<%= config.bin %> jobs cancel --type send-mail --state waiting --dry-run',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = jobsChangeFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsCancel)
    await this.change(this.wanted(args.keys, flags), {
      verb: 'jobs cancel',
      done: 'cancelled for good',
      resolution: resolutionOf('cancel', flags),
    })
  }
}
