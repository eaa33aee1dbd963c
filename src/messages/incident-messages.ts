/** Words the kinds of incidents that a selector alone doesn't run again. */
import type { IncidentKind } from '../domain/incident.ts'

/** Why running a job of this kind again unchanged would repeat its damage. */
export const guardedBecause: Readonly<Partial<Record<IncidentKind, string>>> = {
  poison_message: 'its variables cannot succeed as they are',
  crash_loop: 'it may take its process with it again',
  result_invalid: 'its effect has happened, check that first',
  settlement_refused: 'its effect may have happened, check that first',
}

/** Why a job was skipped, and what would select it: `its key or --kind`. */
export function skippedBecause(kind: string, selects: string): string {
  return `${kind}: ${guardedBecause[kind as IncidentKind] ?? 'it would do it again'}; ${selects} takes it`
}
