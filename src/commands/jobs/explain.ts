import { BaseCommand } from '../../cli/base-command.ts'
import { explanationDocument, explanationPage } from '../../views/explanation-view.ts'
import { keyArg } from '../../cli/flags.ts'
import { noSuchJob } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'

export default class JobsExplain extends BaseCommand {
  static override summary = 'Explain why a job is where it is'
  static override description =
    prose`In sentences: a delay, a backoff, an open breaker, a paused type, no worker, no free slot, a dead worker, an incident,
a dead letter, an unknown outcome.`
  static override examples = ['<%= config.bin %> jobs explain 17', '<%= config.bin %> jobs explain 17 --json']
  static override args = { key: keyArg() }

  async run(): Promise<void> {
    const { args } = await this.parse(JobsExplain)
    const [reader, { jobFacts }, { explain }] = await Promise.all([
      this.openReader(),
      import('../../engine/explain-job.ts'),
      import('../../messages/explain.ts'),
    ])
    const facts = await jobFacts(reader, args.key, this.now())
    if (!facts) throw await noSuchJob(reader, args.key)
    const explained = { job: facts.job, explanation: explain(facts) }
    this.output.document(explanationDocument(explained, this.storeSuffix))
    this.output.print(...explanationPage(explained, { paint: this.output.paint, suffix: this.storeSuffix }))
  }
}
