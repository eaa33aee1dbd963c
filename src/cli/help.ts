/** Help as the framework makes it, but that nothing stands there twice, and that the first line fits the terminal too. */
import { CommandHelp, Help, type Interfaces } from '@oclif/core'

class WfCommandHelp extends CommandHelp {
  /** The summary stands above all else already. */
  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined ? undefined : this.wrap(description)
  }
}

export class WfHelp extends Help {
  protected override CommandHelpClass = WfCommandHelp

  /** Flags without a verb are no question for help: `wf jobs --json` in a script must not pass for an answer. */
  protected override async showTopicHelp(topic: Interfaces.Topic): Promise<void> {
    const typed = process.argv.slice(2)
    if (typed.includes('--help') || !typed.some((word) => word.startsWith('-')))
      return super.showTopicHelp(topic)
    const { commandNotFound } = await import('./command-not-found.ts')
    await commandNotFound({
      id: topic.name,
      argv: typed.filter((word) => word.startsWith('-')),
      config: this.config,
    })
  }

  override formatRoot(): string {
    const [first = '', ...rest] = super.formatRoot().split('\n')
    return [this.wrap(first), ...rest].join('\n')
  }
}
