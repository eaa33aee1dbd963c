import { BaseCommand } from '../../cli/base-command.ts'
import { keyArg, revealFlags } from '../../cli/flags.ts'
import { jsonText } from '../../terminal/json.ts'
import { noSuchJob } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsExport extends BaseCommand {
  static override summary = 'Print a job as one JSON document'
  static override description =
    prose`For a ticket or an audit: its attempts, steps, incidents and history too. Secrets are masked unless --reveal, which is kept on record. The checksum is the SHA-256 of everything else in the document as
canonical JSON; jq prints that: jq -cjS 'del(.checksum)' job.json | sha256sum`
  static override examples = ['<%= config.bin %> jobs export 17 > job-17.json']
  static override args = { key: keyArg() }
  static override flags = revealFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsExport)
    const { reveal } = flags
    const [store, { exportDocument }] = await Promise.all([
      this.openRevealing(flags),
      import('../../cli/jobs/job-export.ts'),
    ])
    const inspector = await this.openInspector(store)
    const detail = await inspector.job(args.key)
    if (!detail) throw await noSuchJob(inspector, args.key)
    await this.recordReveal([args.key], flags)
    // JSON is what it is for, asked for or not.
    this.output.out.write(
      jsonText(exportDocument({ detail, info: await inspector.info(), now: this.now(), reveal }), { reveal }),
    )
  }
}
