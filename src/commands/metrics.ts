import { BaseCommand } from '../cli/base-command.ts'
import { prose } from '../text/dedent.ts'

export default class Metrics extends BaseCommand {
  static override summary = 'Print metrics for Prometheus'
  static override description =
    prose`Prints the same page as run-worker --metrics-port serves, without a worker: the counters of all workers of the store,
and gauges of its current state. Use it with a textfile collector. With --json the page is the text of one document.`
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
