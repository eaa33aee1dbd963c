/** Help as the framework makes it, but that nothing stands there twice, and that the first line fits the terminal too. */
import { CommandHelp, Help } from '@oclif/core'

class WfCommandHelp extends CommandHelp {
  /** The summary stands above all else already. */
  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined ? undefined : this.wrap(description)
  }
}

export class WfHelp extends Help {
  protected override CommandHelpClass = WfCommandHelp

  override formatRoot(): string {
    const [first = '', ...rest] = super.formatRoot().split('\n')
    return [this.wrap(first), ...rest].join('\n')
  }
}
