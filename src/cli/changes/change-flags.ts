/** Flags of verbs that change jobs. */
import { Flags } from '@oclif/core'
import { parseRate } from '../../text/duration.ts'
import type { VariableChange } from '../../domain/resolution.ts'
import { guarded, retriesFlag, textFlag } from '../flags.ts'
import { readSet } from '../input/set-values.ts'

/** Of verbs that change something. */
export const changeFlags = {
  'dry-run': Flags.boolean({ summary: 'show what would change, and change nothing', default: false }),
  yes: Flags.boolean({ char: 'y', summary: 'skip the confirmation' }),
  reason: textFlag({ summary: 'reason, for the record', helpValue: 'TEXT' }),
}

/** Of verbs that change many jobs. */
export const paceFlags = {
  rate: Flags.custom<number>({
    summary: 'maximum pace, such as 20/s or 90/m; Ctrl-C stops between batches',
    helpValue: 'N/s',
    parse: guarded(parseRate),
  })(),
}

/** Of verbs that run a job again. */
export const againFlags = {
  retries: retriesFlag(
    'executions to give, 1 to 1,000 (default: what is left, else the number enqueued with)',
  ),
  set: Flags.custom<Omit<VariableChange, 'add'>>({
    summary: 'change a variable first, such as amount=10 or customer.city=Bonn; the value is JSON, else text',
    helpValue: 'PATH=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    parse: guarded(readSet),
  })(),
  add: Flags.boolean({ summary: 'let --set create new paths', dependsOn: ['set'] }),
  'new-effects': Flags.boolean({
    default: false,
    summary: 'forget the steps and change ctx.idempotencyKey, so that effects happen again',
  }),
}
