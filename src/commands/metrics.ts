import { BaseCommand } from '../cli/base-command.ts'
import { prose } from '../text/dedent.ts'

export default class Metrics extends BaseCommand {
  static override summary = 'Print the metrics of the whole store as Prometheus text.'
  static override description =
    prose`The counters that all workers of the store have written, and gauges of how it stands now: the same page as
run-worker --metrics-port serves, without a worker. For a textfile collector, or a scrape job that runs commands. With --json it is
one document with the page as its text.`
  static override examples = [
    '<%= config.bin %> metrics',
    '<%= config.bin %> metrics > /var/lib/node_exporter/wf.prom.tmp && mv /var/lib/node_exporter/wf.prom.tmp /var/lib/node_exporter/wf.prom',
  ]

  async run(): Promise<void> {
    await this.parse(Metrics)
    const [store, { prometheusContentType, prometheusText }] = await Promise.all([
      this.openReader(),
      import('../metrics/prometheus.ts'),
    ])
    const text = await prometheusText(store, this.now())
    this.output.document({ contentType: prometheusContentType, text })
    if (!this.output.json) this.output.out.write(text)
  }
}
