import { Flags } from '@oclif/core'
import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { guarded, keysArg, listFlags } from '../../cli/flags.ts'
import { incidentColumns, incidentViewDocument } from '../../views/incident-view.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { collect, printList } from '../../cli/output/list.ts'
import { missingKeys } from '../../cli/input/not-found.ts'
import { selectorFlags, selectorOf, sortFlag } from '../../cli/input/selector-flags.ts'
import { readChoice } from '../../text/parse-input.ts'
import type { IncidentView } from '../../store/views.ts'

export default class IncidentsList extends ListCommand {
  static override summary = 'List incidents'
  static override description =
    'An incident has the key of its job. Only open ones are shown unless --closed.'
  static override examples = [
    '<%= config.bin %> incidents list',
    {
      description: 'which causes there are, the worst first',
      command: '<%= config.bin %> incidents list --by cause',
    },
    {
      description: 'those that will take their process with them, or cannot succeed as they are',
      command: '<%= config.bin %> incidents list --kind crash_loop,poison_message',
    },
    {
      description: 'by what they say, the last half hour',
      command: '<%= config.bin %> incidents list --error "connection reset" --since 30m',
    },
    {
      description:
        'keys for another command; keys are taken at their word, so name the kinds that may run again',
      command:
        '<%= config.bin %> incidents list --type charge-payment --kind job_no_retries --ids | <%= config.bin %> incidents resolve - --retries 3',
    },
  ]
  static override args = { keys: keysArg('only those of these jobs') }
  static override flags = {
    ...selectorFlags('incidents'),
    closed: Flags.boolean({ summary: 'those that are resolved too' }),
    by: Flags.custom<'cause'>({
      summary:
        'cause: open ones by cause, the worst first, with the command that takes exactly these; --ids prints fingerprints',
      helpValue: 'cause',
      exclusive: ['closed', 'cursor', 'sort'],
      parse: guarded((text, name) => readChoice<'cause'>(text, name, ['cause'])),
    })(),
    sort: sortFlag('incidents'),
    ...listFlags(),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IncidentsList)
    const keys = args.keys && (await readKeys(args.keys))
    await this.watched(flags, async () => {
      const closed = flags.closed ? { includeClosed: true } : {}
      const selector = { ...selectorOf(flags, this.now(), keys), ...closed }
      const store = await this.openReader()
      if (flags.by === 'cause') {
        const { printCauses } = await import('../../cli/incidents/cause-list.ts')
        return printCauses(this.output, store, {
          selector,
          limit: flags.limit,
          ids: flags.ids,
          suffix: this.storeSuffix,
        })
      }
      const page = await collect((each) => store.incidents(selector, each), flags)
      const noun = flags.closed ? 'such incidents' : 'open incidents'
      const listing = {
        page,
        columns: incidentColumns(this.now(), flags.closed),
        document: incidentViewDocument,
        id: ({ jobKey }: IncidentView) => jobKey,
        noun,
      }
      const asked = {
        keys,
        keyOf: listing.id,
        noun: flags.closed ? 'incident of job' : 'open incident of job',
        from: store,
      }
      const missing = await missingKeys({
        ...asked,
        fetch: (each) => store.incidents({ keys: keys ?? [], ...closed }, each),
      })
      await printList(this.output, listing, { ids: flags.ids, selector, from: store, missing })
    })
  }
}
