import { breakerArg, BreakersChange, knownBreakers } from '../../cli/breakers/breakers-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { requiredDurationFlag } from '../../cli/flags.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { applyTrip } from '../../engine/actions/breakers.ts'

/** For a longer time, pause the types. */
const longestMs = 30 * 86_400_000

export default class BreakersTrip extends BreakersChange {
  static override summary = 'Open a circuit breaker for a while'
  static override description =
    prose`Within a second no worker calls the dependency; jobs that need it wait and spend no retry. Running calls go on. After DURATION
probes test the dependency, and the breaker closes when they succeed.`
  static override examples = ['<%= config.bin %> breakers trip stripe --for 10m --reason "they asked us to"']
  static override args = { breaker: breakerArg() }
  static override flags = {
    for: requiredDurationFlag(
      { summary: 'how long it stays open, 1s to 30d' },
      { min: 1_000, max: longestMs },
    ),
    reason: changeFlags.reason,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersTrip)
    const actions = await this.openActions()
    const { breaker: name } = args
    const known = await knownBreakers(actions.engine.reader)
    const steered = await applyTrip(actions, { name, forMs: flags.for, reason: flags.reason ?? null })
    this.report(name, steered, 'opened')
    if (!known.includes(name)) {
      this.output.note(
        say`no worker declares a dependency ${name}${known.length === 0 ? '' : `; known: ${known.join(', ')}`}`,
      )
    }
  }
}
