import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { breakerColumns, breakerDocument } from '../../cli/breaker-view.ts'
import { inspectedBreakers } from '../../cli/breakers-command.ts'
import { printList } from '../../cli/list.ts'
import { prose } from '../../cli/prose.ts'
import type { InspectedBreaker } from '../../engine/breakers-control.ts'

export default class BreakersList extends BaseCommand {
  static override summary = 'Show the breakers that all workers share, and which dependencies they hold.'
  static override description =
    prose`A breaker appears here from its first opening on. While it is open no call is made and the jobs that need it wait, at no
retry; CALLS IN says when a probe may go. It closes by itself when its probes succeed.`
  static override examples = ['<%= config.bin %> breakers list']
  static override flags = { ids: Flags.boolean({ summary: 'print only the names, one a line' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(BreakersList)
    const store = await this.openReader()
    const page = { items: await inspectedBreakers(store), next: null }
    const id = ({ name }: InspectedBreaker) => name
    const listing = { page, columns: breakerColumns(store.now()), document: breakerDocument, id, noun: 'breakers that were ever opened' }
    await printList(this.output, listing, { ids: flags.ids, from: store })
  }
}
