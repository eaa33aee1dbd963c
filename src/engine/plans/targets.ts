/** The targets of operations: what a plan did to each, written with the change itself. */
import type { NewTarget } from '../../domain/operation.ts'
import { WfError } from '../../errors.ts'
import type { Changes } from '../../store/changes.ts'
import type { Facts, FactSets } from '../../store/facts.ts'

/** Belongs to an operation, or to none. */
export interface OfOperation {
  operation?: number
}

/** The operation is among the facts of every item that writes a target of it. */
export function operationFact({ operation }: OfOperation): FactSets {
  return operation === undefined ? {} : { operations: [operation] }
}

/** Nothing if there is no operation. Throws WfError `not_found` if its record has been pruned. */
export function recorded(
  { operation }: OfOperation,
  { facts, now }: { facts: Facts; now: number },
  targets: readonly NewTarget[],
): Changes {
  if (operation === undefined) return {}
  if (!facts.operations.has(operation)) throw missingOperation(operation)
  return { targets: targets.map((target) => ({ ...target, operation, at: now })) }
}

/** A type, breaker or worker. */
export function namedTarget(
  name: string,
  status: NewTarget['status'],
  { why = '', image = null }: Partial<Pick<NewTarget, 'why' | 'image'>> = {},
): NewTarget {
  return { jobKey: 0, name, status, why, image }
}

export function missingOperation(id: number): WfError {
  return new WfError('not_found', `there is no operation ${id}`, {
    hint: 'old ones are pruned; wf audit list shows what there is',
  })
}
