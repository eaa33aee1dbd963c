import { BaseCommand } from '../../cli/base-command.ts'
import { breakerHistoryDocument } from '../../cli/breakers/breaker-history-view.ts'
import { breakerDocument, breakerPage } from '../../cli/breakers/breaker-view.ts'
import { breakerArg, knownBreakers, noSuchBreaker } from '../../cli/breakers/breakers-command.ts'
import { integerFlag } from '../../cli/flags.ts'
import { inspectBreaker } from '../../engine/breakers-control.ts'

export default class BreakersShow extends BaseCommand {
  static override summary = 'Show how a breaker stands, who probes, and what opened and closed it.'
  static override description = 'BREAKER is the name of the dependency, as a handler declares it.'
  static override examples = ['<%= config.bin %> breakers show stripe', '<%= config.bin %> breakers show stripe --history 500 --json']
  static override args = { breaker: breakerArg() }
  static override flags = {
    history: integerFlag(
      { min: 1, max: 1_000 },
      { summary: 'how many changes to show, 1 to 1,000 (10 unless told), the newest first; all of them: wf breakers history' },
    ),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersShow)
    const store = await this.openReader()
    const now = store.now()
    const row = await store.breaker(args.breaker)
    if (!row) throw noSuchBreaker(args.breaker, await knownBreakers(store, now), (await store.info()).location)
    const breaker = inspectBreaker(row, await store.types(now), now)
    const history = await store.breakerHistory(args.breaker, flags.history ?? 10)
    this.output.document({ ...breakerDocument(breaker), history: history.map(breakerHistoryDocument) })
    this.output.print(...breakerPage(breaker, history, { paint: this.output.paint, now }))
  }
}
