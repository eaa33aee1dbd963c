/** What `dlq retry` and `dlq discard` share. */
import { deadLetterReasons, type DeadLetterReason } from '../domain/dead-letter.ts'
import type { Page, Paged, Selector, Store } from '../store/store.ts'
import { ChangeCommand, pageOfTargets, type Wanted } from './change-command.ts'
import { changeFlags } from './change-flags.ts'
import { choicesFlag, typesFlag } from './flags.ts'
import { given } from './given.ts'
import type { Target } from './targets.ts'

export const dlqChangeFlags = {
  type: typesFlag('all open dead letters of these types'),
  kind: choicesFlag(deadLetterReasons, { summary: 'all open dead letters of these kinds: poison, exhausted', helpValue: 'KIND' }),
  ...changeFlags,
}

interface DlqChangeFlags {
  type?: readonly string[] | undefined
  kind?: readonly DeadLetterReason[] | undefined
  'dry-run': boolean
  yes: boolean
}

export abstract class DlqChange extends ChangeCommand {
  protected override targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>> {
    return pageOfTargets(store.deadLetters(selector, page), ({ jobKey, type, reason }) => ({ key: jobKey, type, kind: reason }))
  }

  protected wanted(words: readonly string[] | undefined, { type, kind, 'dry-run': dryRun, yes }: DlqChangeFlags): Wanted {
    return { words, selector: given<Selector>({ types: type, deadLetterReasons: kind }), dryRun, yes }
  }
}
