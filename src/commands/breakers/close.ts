import {
  breakerArg,
  BreakersChange,
  knownBreakers,
  noSuchBreaker,
} from '../../cli/breakers/breakers-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { prose } from '../../text/dedent.ts'
import { who } from '../../cli/input/actor.ts'
import { closeBreaker } from '../../engine/breaker-admin.ts'

export default class BreakersClose extends BreakersChange {
  static override summary = 'Close a breaker by hand: calls pass at once, without a probe.'
  static override description =
    prose`For when you know that the dependency is well, or that its breaker was opened by mistake. It opens again by itself when
calls go on failing. What was held starts on a ramp.`
  static override examples = ['<%= config.bin %> breakers close stripe --reason "their status page is green"']
  static override args = { breaker: breakerArg() }
  static override flags = { reason: changeFlags.reason }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersClose)
    const store = await this.openWriter()
    const steered = await closeBreaker(store, args.breaker, { who: who(), reason: flags.reason ?? '' })
    if (!steered.breaker)
      throw noSuchBreaker(
        args.breaker,
        await knownBreakers(store, store.now()),
        (await store.info()).location,
      )
    this.tell(args.breaker, steered, 'closed')
  }
}
