import { Flags } from '@oclif/core'
import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import {
  listedBreakerColumns,
  listedBreakers,
  type ListedBreaker,
} from '../../cli/breakers/breaker-list-view.ts'
import { printList } from '../../cli/output/list.ts'
import { prose } from '../../text/dedent.ts'

export default class BreakersList extends ListCommand {
  static override summary = 'Show the breakers, which dependencies they hold, and how many jobs.'
  static override description =
    prose`A breaker appears here from its first opening on. While it is open no call is made and the jobs that need it wait, at no
retry; CALLS IN says when a probe may go, HELD how many jobs wait. It closes by itself when its probes succeed. Breakers that a worker
shares with nobody (shared: false) are listed for each worker that is alive.`
  static override examples = ['<%= config.bin %> breakers list']
  static override flags = {
    ids: Flags.boolean({ summary: 'print only the names, one a line' }),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(BreakersList)
    await this.watched(flags, async () => {
      const store = await this.openReader()
      const listed = await listedBreakers(store)
      const page = { items: listed, next: null }
      const columns = listedBreakerColumns(listed, store.now())
      const document = (breaker: ListedBreaker) => breaker.document
      const listing = {
        page,
        columns,
        document,
        id: ({ name }: ListedBreaker) => name,
        noun: 'breakers that were ever opened',
      }
      await printList(this.output, listing, { ids: flags.ids, from: store })
    })
  }
}
