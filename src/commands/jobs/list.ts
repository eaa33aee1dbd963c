import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { keysArg, listFlags } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { inspectedJobDocument, jobColumns } from '../../views/job-view.ts'
import { collect, printList } from '../../cli/output/list.ts'
import { missingKeys } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'
import { selectorFlags, selectorOf, sortFlag } from '../../cli/input/selector-flags.ts'
import type { InspectedJob } from '../../engine/inspector.ts'

export default class JobsList extends ListCommand {
  static override summary = 'List jobs'
  static override description =
    prose`Only what --where asks about is read of what the jobs carry, so lists stay quick however large that is; wf jobs show has it.
The error of a job is that of its open incident or dead letter, else of its last attempt that failed; a completed one has none.

States: available (due), waiting (delay, backoff or deferred), running, completed, rejected, failed (an incident
waits for a person), dead (set aside as a dead letter), cancelled.`
  static override examples = [
    '<%= config.bin %> jobs list',
    { description: 'jobs that stopped', command: '<%= config.bin %> jobs list --state failed,dead' },
    {
      description: 'what an outage stopped for one customer in the last two hours',
      command:
        '<%= config.bin %> jobs list --state failed --error ETIMEDOUT --where variables.customer=7 --since 2h',
    },
    {
      description: 'by a pattern, those first that are due first',
      command: "<%= config.bin %> jobs list --error '/timed? ?out/i' --sort due",
    },
    {
      description: 'keys for another command',
      command:
        '<%= config.bin %> jobs list --type send-mail --state waiting --ids | <%= config.bin %> jobs retry -',
    },
  ]
  static override args = { keys: keysArg('only these jobs') }
  static override flags = {
    ...selectorFlags('jobs'),
    sort: sortFlag('jobs'),
    ...listFlags(),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsList)
    const keys = args.keys && (await readKeys(args.keys))
    await this.watched(flags, async () => {
      const selector = selectorOf(flags, this.now(), keys)
      const store = await this.openReader()
      const inspector = await this.openInspector(store)
      const page = await collect((each) => inspector.jobs(selector, each), flags)
      const listing = {
        page,
        columns: jobColumns(this.now()),
        document: inspectedJobDocument,
        id: ({ key }: InspectedJob) => key,
        noun: 'such jobs',
      }
      const asked = { keys, keyOf: listing.id, noun: 'job', from: inspector }
      const missing = await missingKeys({
        ...asked,
        fetch: (each) => inspector.jobs({ keys: keys ?? [] }, each),
      })
      await printList(this.output, listing, { ids: flags.ids, selector, from: store, missing })
    })
  }
}
