import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { deadLetterColumns, deadLetterDocument } from '../../cli/dead-letter-view.ts'
import { choicesFlag, keysArg, listFlags, typesFlag } from '../../cli/flags.ts'
import { given } from '../../cli/given.ts'
import { readKeys } from '../../cli/keys.ts'
import { collect, printList } from '../../cli/list.ts'
import { missingKeys } from '../../cli/missing-keys.ts'
import { type DeadLetter, deadLetterReasons } from '../../domain/dead-letter.ts'
import type { Selector } from '../../store/store.ts'

export default class DlqList extends BaseCommand {
  static override summary = 'Show the dead letters, the newest first.'
  static override description =
    `What was set aside: poison (variables that can never succeed) and exhausted (no retries were left, and the handler sends
such jobs here). A dead letter is addressed by the key of its job. Only open ones are shown unless --closed.`
  static override examples = ['<%= config.bin %> dlq list', '<%= config.bin %> dlq list --kind poison --type charge-payment']
  static override args = { keys: keysArg('only those of these jobs') }
  static override flags = {
    type: typesFlag('only those of these types'),
    kind: choicesFlag(deadLetterReasons, { summary: 'only of these kinds: poison, exhausted', helpValue: 'KIND' }),
    closed: Flags.boolean({ summary: 'those that are closed too' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqList)
    const keys = args.keys && (await readKeys(args.keys))
    const closed = flags.closed ? { includeClosed: true } : {}
    const selector = given<Selector>({
      keys,
      types: flags.type,
      deadLetterReasons: flags.kind,
      ...closed,
    })
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
    const asked = { keys, keyOf: listing.id, noun: flags.closed ? 'dead letter of job' : 'open dead letter of job', from: store }
    const missing = await missingKeys({ ...asked, fetch: (each) => store.deadLetters({ keys: keys ?? [], ...closed }, each) })
    await printList(this.output, listing, { ids: flags.ids, from: store, missing })
  }
}
