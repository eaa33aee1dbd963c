/** The last line of every change: the number of its record, and how to take it back. */
import { undoableVerbs, type Operation } from '../../domain/operation.ts'
import { finalBecause } from '../../messages/operation-messages.ts'
import type { Masked } from '../../text/mask.ts'
import type { Output } from '../../terminal/output.ts'
import type { Paint } from '../../terminal/paint.ts'
import { commandInJson, type Safe, say, shownCommand } from '../../terminal/safe.ts'

export interface MadeOperation extends Pick<Operation, 'id' | 'verb'> {
  /** Of its targets, as far as is known; 0 where there is nothing to take back. */
  changed: number
  /** Behind every command: names the store where it is not the usual one. */
  suffix: string
}

function undoCommand({ id, verb, changed, suffix }: MadeOperation): string | null {
  return changed > 0 && undoableVerbs.includes(verb) ? `wf undo ${id}${suffix}` : null
}

export function operationLine(operation: MadeOperation, paint: Paint): Safe {
  const { id, verb, changed } = operation
  const undo = undoCommand(operation)
  const then =
    (undo && shownCommand(undo)) ??
    (changed > 0 && finalBecause(verb) !== null ? 'this cannot be undone' : null)
  return paint.dim(then === null ? say`operation ${id}` : say`operation ${id} · ${then}`)
}

/** Its part of the document that tells the change. */
export function madeDocument(operation: MadeOperation | null): {
  operation: number | null
  undo: Masked | null
} {
  const undo = operation && undoCommand(operation)
  return { operation: operation?.id ?? null, undo: undo === null ? null : commandInJson(undo) }
}

/** Said before anything is done. */
export function warnFinal(output: Output, verb: Operation['verb']): void {
  const final = finalBecause(verb)
  if (final !== null) output.note(output.errPaint.yellow(say`this cannot be undone: ${final}`))
}
