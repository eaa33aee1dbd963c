/** Words operations: why they are final, why they can't be undone, and their targets, masked. */
import { maskText } from '../text/mask.ts'
import { maskWords } from '../text/shell-words.ts'
import type { Operation, OperationVerb, UndoRefusal } from '../domain/operation.ts'
import { commandOf } from '../engine/actions/index.ts'
import type { UndoPlan } from '../engine/actions/undo.ts'
import { WfError } from '../errors.ts'

/** Why it is final, as the end of a sentence; null for a verb that can be undone. */
export function finalBecause(verb: OperationVerb): string | null {
  switch (verb) {
    case 'cancel':
    case 'discard':
      return 'a cancelled job never runs again'
    case 'purge':
      return 'purged dead letters are gone'
    case 'forget':
      return 'the results of forgotten steps are gone'
    case 'release':
      return 'the attempts of a released worker have ended as lost'
    case 'drain':
      return 'a drained worker has left; start another'
    case 'reveal':
      return 'the values were shown already'
    default:
      return null
  }
}

/** Why an operation can't be undone, and what to do instead. */
export function undoRefusalWords(
  { id, verb, undoes, undoneBy }: Operation,
  refusal: UndoRefusal,
): { message: string; hint: string } {
  switch (refusal) {
    case 'undo':
      return {
        message: `operation ${id} is an undo itself, of operation ${undoes ?? '?'}: it cannot be undone`,
        hint: 'repeat the change instead',
      }
    case 'final':
      return {
        message: `operation ${id} (${commandOf(verb)}) cannot be undone: ${finalBecause(verb) ?? 'it is final'}`,
        hint: `wf audit show ${id}`,
      }
    case 'undone':
      return {
        message: `operation ${id} was undone already, by operation ${undoneBy}`,
        hint: `wf audit show ${undoneBy}`,
      }
    case 'unchanged':
      return { message: `operation ${id} changed nothing`, hint: `wf audit show ${id}` }
    case 'at work':
      return {
        message: `operation ${id} is still at work`,
        hint: 'stop it first, or wait for its end; if its process was killed, that is known a minute after its last change',
      }
  }
}

/** Returns the operation that a plan undoes. Throws a WfError `not_found` or `conflict` that says why not. */
export function undoable(plan: UndoPlan): Operation {
  if (plan.refusal === null) return plan.of
  if (plan.of !== null) {
    const { message, hint } = undoRefusalWords(plan.of, plan.refusal)
    throw new WfError('conflict', message, { hint })
  }
  if (plan.id === null)
    throw new WfError('not_found', 'there is nothing to undo', { hint: 'wf audit list shows what was done' })
  throw new WfError('not_found', `there is no operation ${plan.id}`, {
    hint: 'old ones are pruned; wf audit list shows what there is',
  })
}

const ofNames: readonly OperationVerb[] = ['pause', 'resume', 'trip', 'close', 'release', 'drain', 'forget']

/** What an operation was about, masked: flags and keys, names of types, breakers or workers, or the key of a job and names of its steps. */
export function maskedTargets({ verb, selector }: Pick<Operation, 'verb' | 'selector'>): string {
  if (!ofNames.includes(verb)) return maskWords(selector)
  const [key = ''] = /^\d{1,16}(?= |$)/.exec(selector) ?? []
  return `${key}${maskText(selector.slice(key.length))}`
}
