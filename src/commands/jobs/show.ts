import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { keyArg, revealFlags } from '../../cli/flags.ts'
import { jobPage, jobPageDocument } from '../../views/job-page.ts'
import { noSuchJob } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsShow extends BaseCommand {
  static override summary = 'Show a job'
  static override description =
    prose`Variables and result with their secrets masked, every attempt that did not succeed, the incident and dead letter it
stopped with, and what people did to it. With --reveal variables, result and errors stand there as they are, and that you looked is
kept.`
  static override examples = [
    '<%= config.bin %> jobs show 17',
    '<%= config.bin %> jobs show 17 --json | jq .variables',
    '<%= config.bin %> jobs show 17 --reveal --reason "ticket 4711"',
  ]
  static override args = { key: keyArg() }
  static override flags = { full: Flags.boolean({ summary: 'cut nothing' }), ...revealFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsShow)
    const store = await this.openRevealing(flags)
    const inspector = await this.openInspector(store)
    const detail = await inspector.job(args.key)
    if (!detail) throw await noSuchJob(inspector, args.key)
    await this.recordReveal([args.key], flags)
    const { reveal } = flags
    const { document, print, paint, width } = this.output
    document(jobPageDocument(detail, this.storeSuffix, { reveal }), { reveal })
    print(
      ...jobPage(detail, {
        paint,
        width,
        now: this.now(),
        full: flags.full,
        reveal,
        suffix: this.storeSuffix,
      }),
    )
  }
}
