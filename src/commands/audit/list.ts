import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { choicesFlag, deadlineFlag, listFlags, textFlag } from '../../cli/flags.ts'
import { given } from '../../text/json.ts'
import { collect, printList } from '../../cli/output/list.ts'
import { operationColumns, operationDocument } from '../../cli/changes/operation-view.ts'
import { prose } from '../../text/dedent.ts'
import { operationVerbs, type Operation, type OperationFilter } from '../../domain/operation.ts'
import { parseDuration } from '../../text/duration.ts'

export default class AuditList extends ListCommand {
  static override summary = 'List operator actions'
  static override description =
    prose`Every change leaves one row: who, when, what was meant, why, and how many jobs it changed. What workers do is not among
them. Rows are kept as long as statistics. interrupted: the process that made the change ended in the middle; what it had done by then
is counted exactly.`
  static override examples = [
    '<%= config.bin %> audit list --since 1d',
    {
      description: 'who cancelled what',
      command: '<%= config.bin %> audit list --verb cancel,discard --who ada',
    },
  ]
  static override flags = {
    who: textFlag({ summary: 'only by those whose name has this in it', helpValue: 'NAME' }),
    verb: choicesFlag(operationVerbs, {
      summary: `only these: ${operationVerbs.join(', ')}`,
      helpValue: 'VERB',
    }),
    since: deadlineFlag({ summary: 'only those at this instant or later, or no longer ago than this' }),
    ...listFlags('the numbers'),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(AuditList)
    await this.watched(flags, async () => {
      const store = await this.openReader()
      const now = store.now()
      const since = typeof flags.since === 'string' ? now - parseDuration(flags.since) : flags.since
      const filter = given<OperationFilter>({ who: flags.who, verbs: flags.verb, since })
      const page = await collect((each) => store.operations(filter, each), flags)
      const document = (operation: Operation) => operationDocument(operation, now, this.storeSuffix)
      const listing = {
        page,
        columns: operationColumns(now),
        document,
        id: ({ id }: Operation) => id,
        noun: 'such operations',
      }
      await printList(this.output, listing, { ids: flags.ids, from: store })
    })
  }
}
