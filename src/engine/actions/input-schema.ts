/** Schemas of what each action takes. Loads zod: import it only where there is something to validate. */
import * as z from 'zod/mini'
import { limits } from '../../domain/job.ts'
import type { OperationVerb } from '../../domain/operation.ts'
import { WfError } from '../../errors.ts'
import {
  bool,
  check,
  duration,
  pathText,
  type Refusal,
  type Schema,
  strict,
  text,
  whole,
  words,
} from '../../text/schema.ts'

const key = whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
const retries = z.optional(whole({ min: 1, max: limits.retries }))
/** Epoch ms. */
const instant = z.optional(whole({ min: 0, max: Number.MAX_SAFE_INTEGER }))
const yes = z.optional(bool())
const name = text('a name')

const common = { reason: z.optional(text('a reason')), dryRun: yes }

/** Jobs by key or by selector, which is text as the command line and the dashboard's filter take it. */
const jobs = {
  ...common,
  keys: z.optional(z.array(key)),
  selector: z.optional(z.string({ error: 'a selector such as "--type mail --since 1h"' })),
  limit: z.optional(whole({ min: 1, max: 1_000_000 })),
  sort: z.optional(name),
  rate: z.optional(text('a rate such as 20/s')),
}

/** Options of a verb that runs jobs again. */
const again = {
  retries,
  set: z.optional(z.array(strict({ path: name, value: z.unknown(), add: yes, remove: yes }))),
  newEffects: yes,
}

const types = { ...common, types: words(1_000) }
const workers = { ...common, workers: words(1_000) }
const breaker = { ...common, breaker: name }
const longestMs = 10 * 365 * 86_400_000

export const inputs = {
  resolve: strict({
    ...{ ...jobs, ...again },
    verify: z.optional(duration({ min: 0, max: longestMs }, { isRounded: true })),
    canary: z.optional(whole({ min: 1, max: 1_000 })),
  }),
  retry: strict({ ...jobs, ...again }),
  dlq_retry: strict({ ...jobs, ...again }),
  cancel: strict(jobs),
  discard: strict(jobs),
  purge: strict({ ...jobs, open: yes }),
  update: strict({
    ...{ ...jobs, retries, at: instant },
    priority: z.optional(whole({ min: -limits.priority, max: limits.priority })),
  }),
  pause: strict({ ...types, until: instant, force: yes }),
  resume: strict(types),
  trip: strict({ ...breaker, for: duration({ min: 1_000, max: 30 * 86_400_000 }, { isRounded: true }) }),
  close: strict(breaker),
  forget: strict({ ...common, key, steps: z.optional(words(1_000)) }),
  release: strict({ ...workers, force: yes }),
  drain: strict({ ...workers, wait: z.optional(duration({ min: 0, max: longestMs }, { isRounded: true })) }),
  undo: strict({ ...common, operation: z.optional(key) }),
  reveal: strict({ reason: common.reason, keys: z.array(key) }),
} satisfies Record<OperationVerb, Schema<unknown>>

export type Input<V extends OperationVerb> = z.infer<(typeof inputs)[V]>

export function validInput<V extends OperationVerb>(verb: V, input: unknown): Input<V> {
  const refuse = ({ path, problem, unknown, hint }: Refusal) =>
    new WfError('usage', `${unknown ?? pathText(path)} ${problem}`.trim(), hint === null ? {} : { hint })
  return check<Input<V>>(inputs[verb] as never, input, refuse)
}
