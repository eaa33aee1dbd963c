/** Flags of verbs that change jobs. */
import { Flags } from '@oclif/core'
import { parseRate } from '../../text/duration.ts'
import type { VariableChange } from '../../domain/resolution.ts'
import { guarded, retriesFlag, textFlag } from '../flags.ts'
import { readSet } from '../input/set-values.ts'

/** Of verbs that change something. */
export const changeFlags = {
  'dry-run': Flags.boolean({ summary: 'say what would be done, and do nothing', default: false }),
  yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }),
}

/** Of verbs that change many jobs. */
export const paceFlags = {
  rate: Flags.custom<number>({
    summary:
      'no faster than this: 20/s, 90/m; the jobs go in small batches, and Ctrl-C leaves the rest as it is',
    helpValue: 'N/s',
    parse: guarded(parseRate),
  })(),
}

/** Of verbs that run a job again. */
export const againFlags = {
  retries: retriesFlag('executions to give, 1 to 1,000; unless told what is left, else what it had at first'),
  set: Flags.custom<Omit<VariableChange, 'add'>>({
    summary:
      'change a variable first: amount=10, customer.city=Bonn; variables.amount is the same as amount. The value is JSON, else text',
    helpValue: 'PATH=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    parse: guarded(readSet),
  })(),
  add: Flags.boolean({ summary: '--set may create what is not there', dependsOn: ['set'] }),
  'new-effects': Flags.boolean({
    default: false,
    summary:
      'make its effects anew: its steps are forgotten and ctx.idempotencyKey is another, so what has taken effect happens again',
  }),
}
