import { breakerArg, BreakersChange, knownBreakers } from '../../cli/breakers/breakers-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { requiredDurationFlag } from '../../cli/flags.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { applyTrip } from '../../engine/actions/breakers.ts'

/** Whoever wants longer than this wants a paused type. */
const longestMs = 30 * 86_400_000

export default class BreakersTrip extends BreakersChange {
  static override summary = 'Open a breaker by hand: no worker calls the dependency for a while.'
  static override description =
    prose`Every worker holds its calls within a second; jobs that need the dependency wait, at no retry. Afterwards probes
find out whether it is well; until then it stays open. Running calls go on.`
  static override examples = ['<%= config.bin %> breakers trip stripe --for 10m --reason "they asked us to"']
  static override args = { breaker: breakerArg() }
  static override flags = {
    for: requiredDurationFlag({ summary: 'how long, 1s to 30d' }, { min: 1_000, max: longestMs }),
    reason: changeFlags.reason,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersTrip)
    const actions = await this.openActions()
    const { breaker: name } = args
    const known = await knownBreakers(actions.engine.reader)
    const steered = await applyTrip(actions, { name, forMs: flags.for, reason: flags.reason ?? null })
    this.tell(name, steered, 'opened')
    if (!known.includes(name)) {
      this.output.note(
        say`no worker has declared a dependency ${name}${known.length === 0 ? '' : `; there are ${known.join(', ')}`}`,
      )
    }
  }
}
