import { BaseCommand } from '../cli/base-command.ts'
import { canAsk } from '../terminal/confirm.ts'
import { integerFlag } from '../cli/flags.ts'
import { prose } from '../text/dedent.ts'
import { selectorFlags, selectorOf } from '../cli/input/selector-flags.ts'
import { mostCauses } from '../domain/cause.ts'
import { WfError } from '../errors.ts'

export default class Triage extends BaseCommand {
  static override summary = 'Go through incidents cause by cause'
  static override description =
    prose`For each cause it shows how many jobs stopped, since when, what they have in common, and takes one key: s shows one
of them, r resolves them, e changes their variables first, a sets the matter aside, n goes on, q quits. Before anything is changed it says how
many jobs are meant and what would still hold them; afterwards it says what became of them. Of more than three it can try three first.

To set aside is to pause the type: what has stopped waits by itself, and a pause keeps more jobs from running into the same cause. It can be
taken back; nothing here is final.

Needs a terminal. --json prints all that it would show instead.`
  static override examples = [
    '<%= config.bin %> triage',
    '<%= config.bin %> triage --since 1h',
    '<%= config.bin %> triage --json',
  ]
  static override flags = {
    ...selectorFlags('incidents'),
    limit: integerFlag(
      { min: 1, max: mostCauses },
      { summary: 'with --json: maximum number of causes, 1 to 1,000 (default: 20)' },
    ),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Triage)
    if (this.output.json) return this.#document(flags)
    if (!canAsk(this.output) || !this.output.out.isTTY) throw noTerminal()
    const [actions, { createKeyboard }, { triage }] = await Promise.all([
      this.openActions(),
      import('../terminal/keyboard.ts'),
      import('../cli/incidents/triage.ts'),
    ])
    const { output, storeSuffix: suffix } = this
    const keyboard = createKeyboard(process.stdin, (text) => output.err.write(text))
    try {
      await triage({
        ...{ actions, output, keyboard, suffix },
        selector: selectorOf(flags, actions.engine.reader.now()),
      })
    } finally {
      keyboard.end()
    }
  }

  async #document({
    limit = 20,
    ...flags
  }: Parameters<typeof selectorOf>[0] & { limit?: number | undefined }): Promise<void> {
    const [store, { triageDocument }] = await Promise.all([
      this.openReader(),
      import('../cli/incidents/triage-document.ts'),
    ])
    this.output.document(
      await triageDocument(store, {
        selector: selectorOf(flags, store.now()),
        limit,
        suffix: this.storeSuffix,
      }),
    )
  }
}

function noTerminal(): WfError {
  return new WfError(
    'usage',
    'wf triage asks and listens: it needs a terminal to read from and to write to',
    {
      hint: 'wf triage --json prints what it would show; wf incidents list --by cause is for people',
    },
  )
}
