/** What a person did to a breaker, taken back: it is again what it was, in a new generation, so that late results of the old ones change nothing. */
import type { BreakerImage } from '../../domain/operation.ts'
import type { BreakerRow } from '../../domain/breaker-row.ts'
import { undoBreaker, type NotRestored } from '../../domain/undo.ts'
import { breakersTable } from './rows/breakers.ts'
import type { Connection } from './file/connection.ts'
import type { UndoBatch } from '../port.ts'

const uncounted = {
  requests: 0,
  successes: 0,
  failures: 0,
  exclusions: 0,
  consecutiveSuccesses: 0,
  consecutiveFailures: 0,
}

type Asked = Pick<UndoBatch, 'of' | 'who' | 'reason'> & { now: number }

/** Null: done. */
export function breakerUndoer(
  db: Connection,
): (name: string, image: BreakerImage, asked: Asked) => NotRestored | null {
  const breakers = breakersTable(db)
  return (name, image, { of, who, reason, now }) => {
    const found = breakers.get(name)
    const refusal = undoBreaker(name, image, found?.generation ?? null)
    if (refusal !== null || found === null) return refusal
    const why = reason ?? `operation ${of} was undone`
    breakers.change({ name, who, reason: why, apply: (row) => row && asBefore(row, image, now) }, now)
    return null
  }
}

/** One that let probes through is open again with its time over, so that a new probe may go at once. */
function asBefore(row: BreakerRow, { before }: BreakerImage, now: number): BreakerRow {
  const { generation, terms } = row
  const anew = { generation: generation + 1, counts: uncounted, probes: [], changedAt: now, terms }
  if (before === null || before.mode === 'closed')
    return { ...anew, mode: 'closed', by: 'operator', expiresAt: null }
  return { ...anew, mode: 'open', by: before.by, expiresAt: before.mode === 'open' ? before.expiresAt : now }
}

export function breakerImage(before: BreakerRow | null, { generation }: BreakerRow): BreakerImage {
  return {
    of: 'breaker',
    before: before && { mode: before.mode, by: before.by, expiresAt: before.expiresAt },
    generation,
  }
}
