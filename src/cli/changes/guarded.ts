/** Names guarded jobs: running them again unchanged would repeat their damage. */
import { guardedIncidentKinds } from '../../domain/incident.ts'
import type { Applied } from '../../domain/resolution.ts'
import { guardedByKey, type Target } from '../../engine/actions/targets.ts'
import { guardedBecause, skippedBecause } from '../../messages/incident-messages.ts'
import type { StoreReader } from '../../store/port.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'
import { thousands } from '../../terminal/time.ts'
import { namedKeys } from '../output/list.ts'

/** Says which of the jobs given by key are guarded; they are changed all the same. */
export async function nameGuarded(
  output: Output,
  reader: StoreReader,
  keys: readonly number[],
): Promise<void> {
  const guarded = await guardedByKey(reader, keys)
  for (const kind of guardedIncidentKinds) {
    const of = guarded.filter((target) => target.kind === kind).map(({ key }) => key)
    if (of.length === 0) continue
    output.note(
      output.errPaint.yellow(
        say`taken by their keys: ${thousands(of.length)} ${kind} (${namedKeys(of)}): ${guardedBecause[kind] ?? ''}`,
      ),
    )
  }
}

export const whySkipped = ({ kind }: Target): string => skippedBecause(kind, 'its key or --kind')

/** How skipped targets are shown among the results. */
export function skippedOf(guarded: readonly Target[], why = whySkipped): readonly Applied[] {
  return guarded.map((target) => ({
    ...{ jobKey: target.key, status: 'skipped', from: 'failed', to: null },
    why: why(target),
  }))
}
