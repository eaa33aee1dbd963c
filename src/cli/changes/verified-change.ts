/** `incidents resolve --canary N --verify D`: reports progress as it happens, and at the end the sum and what was proven. */
import type { Applied } from '../../domain/resolution.ts'
import { applyAndVerify, type JobsPlan, type Verify } from '../../engine/actions/change-jobs.ts'
import { createProgress } from '../../terminal/progress.ts'
import { toWfError } from '../errors.ts'
import type { ExitCode } from '../exit-codes.ts'
import { onInterrupt } from '../input/interrupt.ts'
import { skippedOf, whySkipped as byKeyOrKind } from './guarded.ts'
import type { ChangeContext } from './change-run.ts'
import { tellCanaries, tellHeld, tellProven, tellVerified, tellWaiting } from './verified-view.ts'

export async function changeVerified(
  { output, actions, suffix }: ChangeContext,
  plan: JobsPlan,
  { verifyMs, whySkipped = byKeyOrKind, ...verify }: Omit<Verify, 'told' | 'signal'>,
): Promise<ExitCode> {
  const interrupt = onInterrupt(output)
  const progress = createProgress(output, actions.clock, 'jobs')
  const clear = <A extends readonly unknown[]>(tell: (...args: A) => void) => {
    return (...args: A) => {
      progress.end()
      tell(...args)
    }
  }
  const told = {
    changing: (done: number, of: number) => progress.update(done, done / of),
    watching: (done: number, of: number) => progress.update(done, done / of),
    changed: clear((applied: readonly Applied[]) => tellWaiting(output, applied, verifyMs)),
    trying: clear((choice: Parameters<typeof tellCanaries>[1]) => tellCanaries(output, choice, verifyMs)),
    proven: clear((...seen: [Parameters<typeof tellProven>[1], number]) => tellProven(output, ...seen)),
    held: clear((...held: [string, Parameters<typeof tellHeld>[2]]) => tellHeld(output, ...held)),
  }
  try {
    const end = await applyAndVerify(actions, plan, {
      ...{ ...verify, verifyMs, whySkipped, told, signal: interrupt.signal },
    })
    progress.end()
    // An undo can't revert jobs that have started, as those that ended have.
    const changed =
      end.applied.filter(({ status }) => status === 'changed').length - (end.verification?.seen.length ?? 0)
    return tellVerified(output, {
      ...end,
      changes: [...end.applied, ...skippedOf(plan.guarded, whySkipped)],
      matched: plan.keys.length + plan.guarded.length,
      operation: { id: end.operation, verb: plan.change.verb, changed, suffix },
      failure: end.failure === null ? null : toWfError(end.failure, ''),
      stoppedWith: interrupt.exitCode,
    })
  } finally {
    progress.end()
    interrupt.release()
  }
}
