/** `incidents resolve --canary N --verify D`: words go out as it happens, and the sum with what was proven at the end. */
import type { Applied, Resolution } from '../../domain/resolution.ts'
import type { Selector } from '../../domain/selector.ts'
import type { Engine } from '../../engine/engine.ts'
import { changeVerified as change } from '../../engine/canary-rollout.ts'
import { selectorWords } from './bulk-change.ts'
import type { ChangeContext } from './change-run.ts'
import { toWfError } from '../errors.ts'
import type { ExitCode } from '../exit-codes.ts'
import { onInterrupt } from '../input/interrupt.ts'
import { createProgress } from '../../terminal/progress.ts'
import type { Bound } from '../input/selector-flags.ts'
import { tellCanaries, tellHeld, tellProven, tellVerified, tellWaiting } from './verified-view.ts'

export interface VerifiedChange {
  engine: Engine
  /** Frozen targets. */
  keys: readonly number[]
  resolution: Omit<Resolution, 'jobKey' | 'operation'>
  /** What was meant, for the record; the keys unless told. */
  selector?: Selector
  bound?: Bound
  /** Matched, and passed by for a reason. */
  passedBy: readonly Applied[]
  /** How many are tried first; null: all at once. */
  canary: number | null
  verifyMs: number
  /** Jobs a second, at most; unset: as fast as others leave room. */
  perSecond?: number | undefined
}

export async function changeVerified(
  { output, clock, suffix = '' }: ChangeContext,
  wanted: VerifiedChange,
): Promise<ExitCode> {
  const { engine, keys, resolution, passedBy, canary, verifyMs, perSecond } = wanted
  const interrupt = onInterrupt(output)
  const progress = createProgress(output, clock, 'jobs')
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
  const pace = perSecond === undefined ? {} : { perSecond }
  try {
    const end = await change({
      ...{
        engine,
        clock,
        keys,
        resolution,
        passedBy,
        canary,
        verifyMs,
        told,
        signal: interrupt.signal,
        selector: selectorWords(wanted),
      },
      ...pace,
    })
    progress.end()
    // What has been seen to end has started: no undo brings it back.
    const changed =
      end.applied.filter(({ status }) => status === 'changed').length - (end.verification?.seen.length ?? 0)
    return tellVerified(output, {
      ...end,
      changes: [...end.applied, ...passedBy],
      matched: keys.length + passedBy.length,
      operation: { id: end.operation, verb: resolution.verb, changed, suffix },
      failure: end.failure === null ? null : toWfError(end.failure, ''),
      stoppedWith: interrupt.exitCode,
    })
  } finally {
    progress.end()
    interrupt.release()
  }
}
