/** The framework's help, without the summary repeated and with the first line wrapped too. */
import { CommandHelp, Help, type Interfaces } from '@oclif/core'

class WfCommandHelp extends CommandHelp {
  /** Leaves out the summary, which stands at the top already. */
  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined ? undefined : this.wrap(description)
  }
}

export class WfHelp extends Help {
  protected override CommandHelpClass = WfCommandHelp

  /** Refuses a topic with flags but no verb: `wf jobs --json` in a script must not exit with 0. */
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
