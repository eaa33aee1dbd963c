import { BaseCommand } from '../../cli/base-command.ts'
import { breakerHistoryDocument } from '../../views/breaker-history-view.ts'
import { outageDocument, outagesOf } from '../../views/breaker-outages.ts'
import { breakerDocument, breakerPage, breakerSteps } from '../../views/breaker-view.ts'
import { breakerArg, knownBreakers, noSuchBreaker } from '../../cli/breakers/breakers-command.ts'
import { integerFlag } from '../../cli/flags.ts'
import { section, stepLines } from '../../views/sections.ts'
import { prose } from '../../text/dedent.ts'
import { inspectBreaker } from '../../engine/breaker-admin.ts'

/** Outages shown, and history rows read to find them: each failed probe is a row. */
const maxOutages = 5
const maxRows = 1_000

export default class BreakersShow extends BaseCommand {
  static override summary = 'Show a breaker, its probes and its outages'
  static override description =
    prose`BREAKER is the name of the dependency, as a handler declares it. The last five outages show when and for how long the breaker
wasn't closed, in how many open periods (each failed probe begins another) and why. Below them are the latest changes.`
  static override examples = [
    '<%= config.bin %> breakers show stripe',
    '<%= config.bin %> breakers show stripe --history 500 --json',
  ]
  static override args = { breaker: breakerArg() }
  static override flags = {
    history: integerFlag(
      { min: 1, max: 1_000 },
      {
        summary:
          'maximum number of changes to show, newest first, 1 to 1,000 (default: 10); see also wf breakers history',
      },
    ),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersShow)
    const store = await this.openReader()
    const now = store.now()
    const row = await store.breaker(args.breaker)
    if (!row) throw noSuchBreaker(args.breaker, await knownBreakers(store), (await store.info()).location)
    const breaker = inspectBreaker(row, await store.types(now), now)
    const found = await store.breakerHistory(args.breaker, Math.max(maxRows, flags.history ?? 0))
    const outages = outagesOf(found).slice(0, maxOutages)
    const history = found.slice(0, flags.history ?? 10)
    this.output.document({
      ...breakerDocument(breaker),
      openings: outages.map((outage) => outageDocument(outage, now)),
      history: history.map(breakerHistoryDocument),
    })
    const { paint, width } = this.output
    const next = section('next', stepLines(breakerSteps(breaker, this.storeSuffix), paint), paint)
    this.output.print(...breakerPage(breaker, { outages, history }, { paint, width, now }), ...next)
  }
}
