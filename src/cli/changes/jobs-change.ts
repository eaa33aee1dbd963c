/** What `jobs retry` and `jobs cancel` share. */
import type { Store } from '../../store/port.ts'
import { ChangeCommand, pageOfTargets } from './change-command.ts'
import { changeFlags, paceFlags } from './change-flags.ts'
import { boundFlags, selectorFlags } from '../input/selector-flags.ts'
import type { Target } from './targets.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

export const jobsChangeFlags = {
  ...selectorFlags('jobs'),
  ...boundFlags('jobs'),
  ...changeFlags,
  ...paceFlags,
}

export abstract class JobsChange extends ChangeCommand {
  protected override targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>> {
    return pageOfTargets(store.jobs(selector, page), ({ key, type, state }) => ({ key, type, kind: state }))
  }
}
