import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { printList } from '../../cli/output/list.ts'
import { workerColumns, workerDocument } from '../../views/worker-view.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { Flags } from '@oclif/core'
import type { InspectedWorker } from '../../engine/inspector.ts'

export default class WorkersList extends ListCommand {
  static override summary = 'List workers'
  static override description =
    prose`One row a child process: what it handles, how busy it is, and whether its lease is alive. One whose lease is over is
gone or cut off; its jobs are handed to others. wf workers release does that at once for one that is known to be dead.`
  static override examples = ['<%= config.bin %> workers list', '<%= config.bin %> workers list --json']
  static override flags = { ids: Flags.boolean({ summary: 'print only the ids, one a line' }), ...watchFlags }

  async run(): Promise<void> {
    const { flags } = await this.parse(WorkersList)
    await this.watched(flags, async () => {
      const inspector = await this.openInspector()
      const page = { items: await inspector.workers(), next: null }
      const listing = {
        page,
        columns: workerColumns(),
        document: workerDocument,
        id: ({ id }: InspectedWorker) => id,
        noun: 'workers',
      }
      await printList(this.output, listing, { ids: flags.ids, from: inspector })
      const held = page.items.some(({ alive, running }) => !alive && running > 0)
      if (held && !flags.ids)
        this.output.note(
          this.output.errPaint.dim(say`dead workers hold jobs: wf workers release ID returns them at once`),
        )
    })
  }
}
