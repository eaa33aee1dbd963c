import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { given } from '../../cli/given.ts'
import { choicesFlag, keysArg, listFlags, typesFlag } from '../../cli/flags.ts'
import { readKeys } from '../../cli/keys.ts'
import { inspectedJobDocument, jobColumns } from '../../cli/job-view.ts'
import { collect, printList } from '../../cli/list.ts'
import { missingKeys } from '../../cli/missing-keys.ts'
import { prose } from '../../cli/prose.ts'
import { jobStates } from '../../domain/job.ts'
import type { InspectedJob } from '../../engine/inspector.ts'
import type { Selector } from '../../store/store.ts'

export default class JobsList extends BaseCommand {
  static override summary = 'Show jobs, the newest first.'
  static override description = prose`Lists never read what the jobs carry, so they stay quick however large that is; wf jobs show has it.

States: available (due), waiting (delay, backoff or deferred), running, completed, rejected, failed (an incident
waits for a person), dead (set aside as a dead letter), cancelled.`
  static override examples = [
    '<%= config.bin %> jobs list',
    { description: 'what stands still', command: '<%= config.bin %> jobs list --state failed,dead' },
    {
      description: 'keys for another command',
      command: '<%= config.bin %> jobs list --type send-mail --state waiting --ids | <%= config.bin %> jobs retry -',
    },
  ]
  static override args = { keys: keysArg('only these jobs') }
  static override flags = {
    type: typesFlag('only jobs of these types'),
    state: choicesFlag(jobStates, { summary: 'only jobs in these states', helpValue: 'STATE' }),
    worker: Flags.string({ summary: 'only jobs that this worker holds', helpValue: 'ID' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsList)
    const keys = args.keys && (await readKeys(args.keys))
    const selector = given<Selector>({
      keys,
      types: flags.type,
      states: flags.state,
      workerId: flags.worker,
    })
    const inspector = await this.openInspector()
    const page = await collect((each) => inspector.jobs(selector, each), flags)
    const listing = { page, columns: jobColumns(this.now()), document: inspectedJobDocument, id: ({ key }: InspectedJob) => key, noun: 'such jobs' }
    const asked = { keys, keyOf: listing.id, noun: 'job', from: inspector }
    const missing = await missingKeys({ ...asked, fetch: (each) => inspector.jobs({ keys: keys ?? [] }, each) })
    await printList(this.output, listing, { ids: flags.ids, from: inspector, missing })
  }
}
