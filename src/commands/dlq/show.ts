import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { deadLetterPage, deadLetterPageDocument } from '../../views/dead-letter-page.ts'
import { keyArg, revealFlags } from '../../cli/flags.ts'
import { noSuchDeadLetter } from '../../cli/input/not-found.ts'

export default class DlqShow extends BaseCommand {
  static override summary = 'Show a dead letter'
  static override description =
    'Its error, the variables as they were when it was set aside, and the commands that come next. Its job may be pruned.'
  static override examples = ['<%= config.bin %> dlq show 17']
  static override args = { key: keyArg() }
  static override flags = { full: Flags.boolean({ summary: 'cut nothing' }), ...revealFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqShow)
    const store = await this.openRevealing(flags)
    const inspector = await this.openInspector(store)
    const [letter, detail] = await Promise.all([inspector.deadLetter(args.key), inspector.job(args.key)])
    if (!letter) throw await noSuchDeadLetter(inspector, args.key)
    await this.recordReveal([args.key], flags)
    const { reveal } = flags
    const { document, print, paint, width } = this.output
    document(deadLetterPageDocument({ letter, detail }, this.storeSuffix), { reveal })
    print(
      ...deadLetterPage(
        { letter, detail },
        { paint, width, now: this.now(), full: flags.full, reveal, suffix: this.storeSuffix },
      ),
    )
  }
}
