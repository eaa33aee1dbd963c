import {
  breakerArg,
  BreakersChange,
  knownBreakers,
  noSuchBreaker,
} from '../../cli/breakers/breakers-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { prose } from '../../text/dedent.ts'
import { applyClose } from '../../engine/actions/breakers.ts'

export default class BreakersClose extends BreakersChange {
  static override summary = 'Close a circuit breaker'
  static override description =
    prose`Calls pass at once, without a probe, and blocked jobs start on a ramp. Use it if you know that the dependency has recovered or
that the breaker was opened by mistake. The breaker opens again if calls keep failing.`
  static override examples = ['<%= config.bin %> breakers close stripe --reason "their status page is green"']
  static override args = { breaker: breakerArg() }
  static override flags = { reason: changeFlags.reason }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersClose)
    const actions = await this.openActions()
    const { reader } = actions.engine
    const { breaker: name } = args
    const steered = await applyClose(actions, { name, reason: flags.reason ?? null })
    if (!steered.breaker)
      throw noSuchBreaker(name, await knownBreakers(reader), (await reader.info()).location)
    this.report(name, steered, 'closed')
  }
}
