/** The flow of verbs that change jobs: plan, preview or approve, apply, report. */
import type { Selector } from '../../domain/selector.ts'
import { runsAgain } from '../../domain/resolution.ts'
import type { JobChange, JobsPlan } from '../../engine/actions/change-jobs.ts'
import type { TargetList } from '../../engine/actions/targets.ts'
import type { ActionContext } from '../../engine/actions/action.ts'
import { BaseCommand } from '../base-command.ts'
import { readKeys } from '../input/keys.ts'
import {
  boundFlags,
  refuseBound,
  selectorFlags,
  selectorOf,
  type Bound,
  type SelectorFlagValues,
} from '../input/selector-flags.ts'
import { changeFlags, paceFlags } from './change-flags.ts'

export interface Verb {
  /** As typed: `jobs cancel`. */
  command: string
  /** What happens to those that change: `cancelled for good`. */
  done: string
  /** The list that the selector narrows. */
  list: TargetList
  change: JobChange
}

export const jobsChangeFlags = changeFlagsOf('jobs')
export const dlqChangeFlags = changeFlagsOf('dlq')

function changeFlagsOf(list: 'jobs' | 'dlq') {
  return { ...selectorFlags(list), ...boundFlags(list), ...changeFlags, ...paceFlags }
}

export interface ChangeFlags extends SelectorFlagValues, Bound {
  'dry-run': boolean
  yes?: boolean
  rate?: number | undefined
}

export abstract class ChangeCommand extends BaseCommand {
  /** Changes the jobs of keys or of a selector; refuses neither. */
  protected async change(
    words: readonly string[] | undefined,
    flags: ChangeFlags,
    { command, done, list, change }: Verb,
  ): Promise<void> {
    const { approve, needsTarget } = await import('./approve.ts')
    const selector = selectorOf(flags, this.now())
    const keys = words && (await readKeys(words))
    const isSelected = Object.keys(selector).length > 0
    if (!keys && !isSelected) throw needsTarget(command)
    if (!isSelected) refuseBound(flags)
    const { actions, plan } = await this.plan({ change, list, keys, selector, bound: flags }, flags)
    if (isSelected && !flags['dry-run']) {
      const again = runsAgain(change.verb) ? actions.engine : null
      const { targets, guarded } = plan
      await approve(this.output, {
        ...{ targets, guarded, done, verb: change.verb, again },
        ...{ yes: flags.yes ?? false, unasked: false },
      })
    }
    await this.apply(actions, plan, { done, flags })
  }

  /** Freezes the targets; says when there are none, and names guarded jobs that were given by key. */
  protected async plan(
    input: {
      change: JobChange
      list: TargetList
      keys: readonly number[] | undefined
      selector: Selector
      bound: Bound
    },
    { 'dry-run': dryRun }: ChangeFlags,
  ): Promise<{ actions: ActionContext; plan: JobsPlan }> {
    const {
      change,
      keys,
      selector,
      bound: { limit, sort },
    } = input
    const [actions, { planJobs }, { sampleLines }] = await Promise.all([
      this.openActions({ dryRun }),
      import('../../engine/actions/change-jobs.ts'),
      import('./approve.ts'),
    ])
    const { reader } = actions.engine
    const plan = await planJobs(reader, { ...input, bound: { limit, sort } })
    if (keys && Object.keys(selector).length === 0) {
      if (runsAgain(change.verb) && input.list !== 'dlq' && keys.length > 1) {
        const { nameGuarded } = await import('./guarded.ts')
        await nameGuarded(this.output, reader, keys)
      }
      return { actions, plan }
    }
    if (plan.targets.length + plan.guarded.length === 0)
      await this.sayNothing(reader, keys ? { ...selector, keys } : selector)
    if (dryRun) this.output.print(...sampleLines(plan.targets))
    return { actions, plan }
  }

  protected async apply(
    actions: ActionContext,
    plan: JobsPlan,
    { done, flags: { 'dry-run': dryRun, rate } }: { done: string; flags: ChangeFlags },
  ): Promise<void> {
    const [
      { applyJobs, previewJobs },
      { impactNow },
      { runChange },
      { skippedOf, whySkipped },
      { missingJobHint },
    ] = await Promise.all([
      import('../../engine/actions/change-jobs.ts'),
      import('../../engine/actions/impact.ts'),
      import('./change-run.ts'),
      import('./guarded.ts'),
      import('../input/not-found.ts'),
    ])
    const { keys, change } = plan
    const { engine } = actions
    const code = await runChange(
      { output: this.output, actions, suffix: this.storeSuffix },
      {
        ...{ verb: change.verb, noun: 'job', done, keys, dryRun, perSecond: rate },
        skipped: skippedOf(plan.guarded),
        preview: (run) => previewJobs(actions, plan, run),
        apply: (run) => applyJobs(actions, plan, { ...run, whySkipped }),
        ...(runsAgain(change.verb) ? { impact: () => impactNow(engine, keys) } : {}),
        missing: (key) => missingJobHint(engine.reader, key),
      },
    )
    this.endWith(code)
  }
}
