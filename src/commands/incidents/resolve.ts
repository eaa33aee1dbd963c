import { BaseCommand } from '../../cli/base-command.ts'
import { againFlags, changeFlags } from '../../cli/change-flags.ts'
import { choicesFlag, keysArg, typesFlag } from '../../cli/flags.ts'
import { given } from '../../cli/given.ts'
import { readKeys } from '../../cli/keys.ts'
import { resolutionOf } from '../../cli/resolution-of.ts'
import { prose } from '../../cli/prose.ts'
import { guardedIncidentKinds, incidentKinds } from '../../domain/incident.ts'
import type { Selector } from '../../store/store.ts'

export default class IncidentsResolve extends BaseCommand {
  static override summary = 'Give stopped jobs another start.'
  static override description = prose`Without keys and selector: all open incidents. The kinds ${guardedIncidentKinds.join(', ')} are passed by and
named unless --kind or their keys take them: run again as they are, they repeat the damage. What stopped as result_invalid has had its
effect: another run would charge the card twice. Without a selector it asks on a terminal when there are several.
Each job starts anew: its failures, crashes and deferrals count from 0, its deadline is lifted, its attempts go on counting.`
  static override examples = [
    { description: 'three more executions for everything that can have them', command: '<%= config.bin %> incidents resolve --retries 3' },
    { description: 'mend what a job was given', command: '<%= config.bin %> incidents resolve 17 --set amount=10 --reason "typed wrong"' },
    '<%= config.bin %> incidents resolve --type charge-payment --kind job_no_retries --dry-run',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    type: typesFlag('only those of these types'),
    kind: choicesFlag(incidentKinds, { summary: `only of these kinds: ${incidentKinds.join(', ')}`, helpValue: 'KIND' }),
    ...againFlags,
    ...changeFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IncidentsResolve)
    const [{ approve }, { changeJobs }, { passedByOf, resolvable }] = await Promise.all([
      import('../../cli/targets.ts'),
      import('../../cli/bulk-change.ts'),
      import('../../cli/resolvable.ts'),
    ])
    const dryRun = flags['dry-run']
    const typed = args.keys && (await readKeys(args.keys))
    const selector = given<Selector>({ keys: typed, types: flags.type, incidentKinds: flags.kind })
    const engine = await this.openEngine({ dryRun })
    const isOfKeys = typed !== undefined && !flags.type && !flags.kind
    const change = { engine, resolution: resolutionOf('resolve', flags), done: 'resolved', dryRun }
    if (isOfKeys) return this.endWith(await changeJobs(this, { ...change, keys: typed }))
    const { targets, guarded } = await resolvable(engine, selector)
    const isUnselected = Object.keys(selector).length === 0
    if (isUnselected && targets.length > 1 && !dryRun) {
      await approve(this.output, { targets, guarded, done: 'resolved', yes: flags.yes, unasked: true })
    }
    const passedBy = passedByOf(guarded, 'its key or --kind')
    this.endWith(await changeJobs(this, { ...change, keys: targets.map(({ key }) => key), passedBy }))
  }
}
