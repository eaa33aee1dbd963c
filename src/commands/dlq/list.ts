import { Flags } from '@oclif/core'
import { prose } from '../../text/dedent.ts'
import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { deadLetterColumns, deadLetterDocument } from '../../views/dead-letter-view.ts'
import { keysArg, listFlags } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { collect, printList } from '../../cli/output/list.ts'
import { missingKeys } from '../../cli/input/not-found.ts'
import { selectorFlags, selectorOf, sortFlag } from '../../cli/input/selector-flags.ts'
import type { DeadLetter } from '../../domain/dead-letter.ts'

export default class DlqList extends ListCommand {
  static override summary = 'List dead letters'
  static override description =
    prose`What was set aside: poison (variables that can never succeed) and exhausted (no retries were left, and the handler sends
such jobs here). A dead letter is addressed by the key of its job. Only open ones are shown unless --closed.`
  static override examples = [
    '<%= config.bin %> dlq list',
    '<%= config.bin %> dlq list --kind poison --type charge-payment',
    {
      description: 'those of the last week that came back most often',
      command: '<%= config.bin %> dlq list --since 7d --sort count',
    },
  ]
  static override args = { keys: keysArg('only those of these jobs') }
  static override flags = {
    ...selectorFlags('dlq'),
    closed: Flags.boolean({ summary: 'those that are closed too' }),
    sort: sortFlag('dlq'),
    ...listFlags(),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqList)
    const keys = args.keys && (await readKeys(args.keys))
    await this.watched(flags, async () => {
      const closed = flags.closed ? { includeClosed: true } : {}
      const selector = { ...selectorOf(flags, this.now(), keys), ...closed }
      const store = await this.openReader()
      const page = await collect((each) => store.deadLetters(selector, each), flags)
      const noun = flags.closed ? 'such dead letters' : 'open dead letters'
      const listing = {
        page,
        columns: deadLetterColumns(this.now(), flags.closed),
        document: deadLetterDocument,
        id: ({ jobKey }: DeadLetter) => jobKey,
        noun,
      }
      const asked = {
        keys,
        keyOf: listing.id,
        noun: flags.closed ? 'dead letter of job' : 'open dead letter of job',
        from: store,
      }
      const missing = await missingKeys({
        ...asked,
        fetch: (each) => store.deadLetters({ keys: keys ?? [], ...closed }, each),
      })
      await printList(this.output, listing, { ids: flags.ids, selector, from: store, missing })
    })
  }
}
