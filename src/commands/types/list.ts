import { Flags } from '@oclif/core'
import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { printList } from '../../cli/output/list.ts'
import { typeColumns, typeDocument } from '../../cli/workers/type-view.ts'
import type { InspectedType } from '../../engine/inspector.ts'

export default class TypesList extends ListCommand {
  static override summary = 'List job types with their counts'
  static override description =
    'The type is the queue. READY are due jobs, WAIT those with a delay, a backoff or a deferral; FAIL and DEAD wait for a person.'
  static override examples = ['<%= config.bin %> types list']
  static override flags = {
    ids: Flags.boolean({ summary: 'print only the names, one a line' }),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(TypesList)
    await this.watched(flags, async () => {
      const inspector = await this.openInspector()
      const page = { items: await inspector.types(), next: null }
      const listing = {
        page,
        columns: typeColumns(this.now()),
        document: typeDocument,
        id: ({ type }: InspectedType) => type,
        noun: 'types',
      }
      await printList(this.output, listing, { ids: flags.ids, from: inspector })
    })
  }
}
