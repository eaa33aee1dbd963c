/** What `dlq retry` and `dlq discard` share. */
import type { Store } from '../../store/port.ts'
import { ChangeCommand, pageOfTargets } from './change-command.ts'
import { changeFlags, paceFlags } from './change-flags.ts'
import { boundFlags, selectorFlags } from '../input/selector-flags.ts'
import type { Target } from './targets.ts'
import type { Page, Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

export const dlqChangeFlags = { ...selectorFlags('dlq'), ...boundFlags('dlq'), ...changeFlags, ...paceFlags }

export abstract class DlqChange extends ChangeCommand {
  protected override targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>> {
    return pageOfTargets(store.deadLetters(selector, page), ({ jobKey, type, reason }) => ({
      key: jobKey,
      type,
      kind: reason,
    }))
  }
}
