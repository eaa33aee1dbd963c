/** What `jobs retry` and `jobs cancel` share. */
import { jobStates, type JobState } from '../domain/job.ts'
import type { Page, Paged, Selector, Store } from '../store/store.ts'
import { ChangeCommand, pageOfTargets, type Wanted } from './change-command.ts'
import { changeFlags } from './change-flags.ts'
import { choicesFlag, typesFlag } from './flags.ts'
import { given } from './given.ts'
import type { Target } from './targets.ts'

export const jobsChangeFlags = {
  type: typesFlag('all jobs of these types'),
  state: choicesFlag(jobStates, { summary: `all jobs in these states: ${jobStates.join(', ')}`, helpValue: 'STATE' }),
  ...changeFlags,
}

interface JobsChangeFlags {
  type?: readonly string[] | undefined
  state?: readonly JobState[] | undefined
  'dry-run': boolean
  yes: boolean
}

export abstract class JobsChange extends ChangeCommand {
  protected override targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>> {
    return pageOfTargets(store.jobs(selector, page), ({ key, type, state }) => ({ key, type, kind: state }))
  }

  protected wanted(words: readonly string[] | undefined, { type, state, 'dry-run': dryRun, yes }: JobsChangeFlags): Wanted {
    return { words, selector: given<Selector>({ types: type, states: state }), dryRun, yes }
  }
}
