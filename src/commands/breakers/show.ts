import { BaseCommand } from '../../cli/base-command.ts'
import { breakerHistoryDocument } from '../../views/breaker-history-view.ts'
import { spellDocument, spellsOf } from '../../views/breaker-outages.ts'
import { breakerDocument, breakerPage, breakerSteps } from '../../views/breaker-view.ts'
import { breakerArg, knownBreakers, noSuchBreaker } from '../../cli/breakers/breakers-command.ts'
import { integerFlag } from '../../cli/flags.ts'
import { section, stepLines } from '../../views/sections.ts'
import { prose } from '../../text/dedent.ts'
import { inspectBreaker } from '../../engine/breaker-admin.ts'

/** How many openings are told, and how far back they are looked for: each probe that fails is one more turn. */
const mostSpells = 5
const mostTurns = 1_000

export default class BreakersShow extends BaseCommand {
  static override summary = 'Show how a breaker stands, who probes, and what opened and closed it.'
  static override description =
    prose`BREAKER is the name of the dependency, as a handler declares it. Openings are the last five times that it was not closed: when, for
how long, in how many open periods (each probe that fails begins another), and why. Below them stand the single changes.`
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
          'how many changes to show, 1 to 1,000 (10 unless told), the newest first; all of them: wf breakers history',
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
    const found = await store.breakerHistory(args.breaker, Math.max(mostTurns, flags.history ?? 0))
    const spells = spellsOf(found).slice(0, mostSpells)
    const history = found.slice(0, flags.history ?? 10)
    this.output.document({
      ...breakerDocument(breaker),
      openings: spells.map((spell) => spellDocument(spell, now)),
      history: history.map(breakerHistoryDocument),
    })
    const { paint, width } = this.output
    const next = section('next', stepLines(breakerSteps(breaker, this.storeSuffix), paint), paint)
    this.output.print(...breakerPage(breaker, { spells, history }, { paint, width, now }), ...next)
  }
}
