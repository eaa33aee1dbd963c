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
  static override summary = 'Resolve incidents: retry stopped jobs'
  static override description =
    prose`Without keys and selector it resolves all open incidents, and prompts on a terminal if there are several. The kinds
${guardedIncidentKinds.join(', ')} are skipped and named unless --kind or keys select them: run again unchanged, their jobs repeat the
damage. A job that stopped as result_invalid has had its effect: another run would charge the card twice.
Failures, crashes and deferrals of each job start at 0, its deadline is cleared, its attempt numbers continue.

--verify waits for the results: exit 0 if all complete, 9 if one fails again, 7 if that is unknown in time or the jobs cannot start
(a pause, no worker). --canary resolves a few first, spread over the causes, and the others only if all of those come through.`
  static override examples = [
    {
      description: 'give every stopped job three executions',
      command: '<%= config.bin %> incidents resolve --retries 3',
    },
    {
      description: 'correct the variables of a job',
      command: '<%= config.bin %> incidents resolve 17 --set amount=10 --reason "typed wrong"',
    },
    '<%= config.bin %> incidents resolve --type charge-payment --kind job_no_retries --dry-run',
    {
      description: 'resolve one cause, as wf incidents list --by cause shows it',
      command: '<%= config.bin %> incidents resolve --fingerprint 3fa94c1d0b7e2a65 --retries 3',
    },
    {
      description: 'try three jobs, then resolve the others',
      command: '<%= config.bin %> incidents resolve --canary 3 --verify 2m',
    },
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...selectorFlags('incidents'),
    ...boundFlags('incidents'),
    canary: integerFlag(
      { min: 1, max: 1_000 },
      {
        summary: 'with --verify: jobs to resolve first; the others follow only if all of those come through',
      },
    ),
    verify: durationFlag(
      { summary: 'wait up to DURATION for the results; exits 9 if any job fails again' },
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
