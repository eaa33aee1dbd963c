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
  static override summary = 'List circuit breakers'
  static override description =
    prose`A shared breaker is listed once it has opened for the first time. While it is open, no worker calls the dependency, and the jobs
that need it wait and spend no retry. CALLS IN is the time until a probe may pass, HELD the number of jobs that wait. Probes that succeed
close the breaker. Process-local breakers (shared: false) are listed for each living worker.`
  static override examples = ['<%= config.bin %> breakers list']
  static override flags = {
    ids: Flags.boolean({ summary: 'print only the names, one per line' }),
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
