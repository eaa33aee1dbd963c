import { ChangeCommand } from '../../cli/changes/change-command.ts'
import { againFlags, changeFlags, paceFlags } from '../../cli/changes/change-flags.ts'
import { durationFlag, integerFlag, keysArg } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { jobChange } from '../../cli/changes/job-change.ts'
import { boundFlags, refuseBound, selectorFlags, selectorOf } from '../../cli/input/selector-flags.ts'
import { prose } from '../../text/dedent.ts'
import { maxDurationMs } from '../../text/duration.ts'
import { WfError } from '../../errors.ts'
import { guardedIncidentKinds } from '../../domain/incident.ts'

export default class IncidentsResolve extends ChangeCommand {
  static override summary = 'Give stopped jobs another start.'
  static override description =
    prose`Without keys and selector: all open incidents. The kinds ${guardedIncidentKinds.join(', ')} are passed by and
named unless --kind or their keys take them: run again as they are, they repeat the damage. What stopped as result_invalid has had its
effect: another run would charge the card twice. Without a selector it asks on a terminal when there are several.
Each job starts anew: its failures, crashes and deferrals count from 0, its deadline is lifted, its attempts go on counting.

With --verify it waits for what becomes of them: 0 when all completed, 9 when one failed again, 7 when that is not known in time or they
cannot start (a pause, no worker). --canary resolves a few first, spread over the causes; the others are left as they are unless all of
those came through.`
  static override examples = [
    {
      description: 'three more executions for everything that can have them',
      command: '<%= config.bin %> incidents resolve --retries 3',
    },
    {
      description: 'mend what a job was given',
      command: '<%= config.bin %> incidents resolve 17 --set amount=10 --reason "typed wrong"',
    },
    '<%= config.bin %> incidents resolve --type charge-payment --kind job_no_retries --dry-run',
    {
      description: 'one cause, as wf incidents list --by cause names it',
      command: '<%= config.bin %> incidents resolve --fingerprint 3fa94c1d0b7e2a65 --retries 3',
    },
    {
      description: 'three first, and the others when those completed',
      command: '<%= config.bin %> incidents resolve --canary 3 --verify 2m',
    },
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...selectorFlags('incidents'),
    ...boundFlags('incidents'),
    canary: integerFlag(
      { min: 1, max: 1_000 },
      { summary: 'with --verify: resolve so many first, and the others only when those came through' },
    ),
    verify: durationFlag(
      { summary: 'wait so long for what becomes of them; 9 when one failed again' },
      { min: 1, max: maxDurationMs },
    ),
    ...againFlags,
    ...changeFlags,
    ...paceFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IncidentsResolve)
    const { verify: verifyMs, canary = null, yes = false, 'dry-run': dryRun, rate: perSecond } = flags
    if (canary !== null && verifyMs === undefined) throw needsVerify()
    const keys = args.keys && (await readKeys(args.keys))
    const selector = selectorOf(flags, this.now())
    const isSelected = Object.keys(selector).length > 0
    if (keys && !isSelected) refuseBound(flags)
    const change = jobChange('resolve', flags)
    const { actions, plan } = await this.plan(
      { change, list: 'incidents', keys, selector, bound: flags },
      flags,
    )
    if (!keys && !isSelected && !dryRun && plan.targets.length > 1) {
      const { approve } = await import('../../cli/changes/approve.ts')
      const { targets, guarded } = plan
      const again = actions.engine
      const asking = { verb: 'resolve', done: 'resolved', again, yes, unasked: true } as const
      await approve(this.output, { targets, guarded, ...asking })
    }
    if (verifyMs === undefined || dryRun) return this.apply(actions, plan, { done: 'resolved', flags })
    const { changeVerified } = await import('../../cli/changes/verified-change.ts')
    const context = { output: this.output, actions, suffix: this.storeSuffix }
    this.endWith(await changeVerified(context, plan, { canary, verifyMs, perSecond }))
  }
}

function needsVerify(): WfError {
  return new WfError('usage', '--canary says how many to try first, and nothing how long to wait for them', {
    hint: 'add --verify 2m',
  })
}
