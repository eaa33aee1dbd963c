/** The records of operations: begun before the first target, ended after the last. */
import { isUndone, type NewOperation, type NewTarget, type Operation } from '../../domain/operation.ts'
import { WfError } from '../../errors.ts'
import { combined, planOf, type Plan } from '../../store/plan.ts'
import { missingOperation, operationFact, recorded } from './targets.ts'

/** Answers ids, which grow. Throws WfErrors `not_found` and `conflict` for an undo of an operation that is gone, or undone already. */
export const beginOperation: Plan<NewOperation, number> = {
  key: ({ undoes = 0, selector }) => `${undoes} ${selector}`,
  facts: (operations) => ({
    operationIds: operations.length,
    operations: operations.flatMap(({ undoes }) => undoes ?? []),
  }),
  plan(operations, facts, now) {
    const ids = facts.operationIds
    for (const { undoes } of operations)
      if (undoes !== undefined) refuseUndone(facts.operations.get(undoes), undoes)
    return {
      answers: ids,
      changes: {
        operations: operations.flatMap((operation, index) =>
          ids.slice(index, index + 1).map((id) => ({ ...operation, id, at: now })),
        ),
      },
    }
  },
}

/** Targets without a change of the store: skipped, inspected, or planned and not reached (`pending`). */
export const addTarget = planOf<{ operation: number; target: NewTarget }, null>({
  key: ({ operation, target: { jobKey, name } }) => `${operation} ${jobKey} ${name}`,
  facts: operationFact,
  plan: ({ operation, target }, facts, now) => ({
    answer: null,
    changes: recorded({ operation }, { facts, now }, [target]),
  }),
})

/** Answers the operation with its counts. An undo that reached all of its targets marks the operation that it undid. */
export const endOperation = planOf<{ operation: number }, Operation>({
  key: ({ operation }) => operation,
  facts: operationFact,
  plan({ operation: id }, facts, now) {
    const found = facts.operations.get(id)
    if (found === undefined) throw missingOperation(id)
    const { matched, changed, skipped, failed, undoes } = found
    const isWhole = undoes !== null && matched === changed + skipped + failed
    const answer = found.finishedAt === null ? { ...found, finishedAt: now, touchedAt: now } : found
    return {
      answer,
      changes: combined([
        { endedOperations: [{ id, at: now }] },
        isWhole ? { undoneOperations: [{ id: undoes, by: id, hasChanged: changed > 0 }] } : {},
      ]),
    }
  },
})

function refuseUndone(operation: Operation | undefined, id: number): void {
  if (operation === undefined) throw missingOperation(id)
  if (!isUndone(operation)) return
  throw new WfError('conflict', `operation ${id} was undone already, by operation ${operation.undoneBy}`, {
    hint: `wf audit show ${operation.undoneBy}`,
  })
}
