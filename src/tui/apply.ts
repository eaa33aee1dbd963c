/** Applies an action that a person has agreed to, and words the result. */
import { undoableVerbs, type Operation } from '../domain/operation.ts'
import type { ActionContext, Run } from '../engine/actions/action.ts'
import { applyClose, applyTrip } from '../engine/actions/breakers.ts'
import { applyJobs } from '../engine/actions/change-jobs.ts'
import { applyPause } from '../engine/actions/types.ts'
import { applyUndo, planUndo } from '../engine/actions/undo.ts'
import { guardedBecause } from '../messages/incident-messages.ts'
import { undoable } from '../messages/operation-messages.ts'
import { counted, thousands } from '../terminal/time.ts'
import { usualTripMinutes } from './action.ts'
import type { JobsAction, JobVerb, Confirm } from './state.ts'
import { meantWords } from './as-command.ts'

export interface ActionRun {
  actions: ActionContext
  confirm: Confirm
  /** Signals between two batches. */
  signal: AbortSignal
  onProgress(done: number): void
}

export interface Done {
  /** A finished sentence. */
  words: string
  /** Something was to be changed, and nothing was. */
  changedNothing: boolean
}

/** Rejects with the store's errors. */
export async function applyAction(deed: ActionRun): Promise<Done> {
  const { actions, confirm } = deed
  const { action, amount } = confirm
  const reason = confirm.reason || null
  switch (action.of) {
    case 'jobs':
      return changeJobs(deed, action)
    case 'breaker': {
      const { name, verb } = action
      if (verb === 'trip') {
        const minutes = amount ?? usualTripMinutes
        await applyTrip(actions, { name, reason, forMs: minutes * 60_000 })
        return fine(`the breaker ${name} is open for ${minutes} min`)
      }
      const { changed } = await applyClose(actions, { name, reason })
      return fine(changed ? `the breaker ${name} is closed` : `the breaker ${name} was closed already`)
    }
    case 'type': {
      const { type, verb } = action
      const paused = verb === 'pause'
      const { changed } = await applyPause(actions, { types: [type], paused, reason, untilAt: null })
      return fine(
        changed.length > 0
          ? `${type} is ${paused ? 'paused' : 'resumed'}`
          : `${type} was ${paused ? 'paused' : 'running'} already`,
      )
    }
    default:
      return undo(deed)
  }
}

const fine = (words: string): Done => ({ words, changedNothing: false })

const done: Readonly<Record<JobVerb, string>> = {
  resolve: 'resolved',
  retry: 'retried',
  dlq_retry: 'retried',
  discard: 'discarded',
  cancel: 'cancelled',
}

/** Counts what each batch did. */
function running<T>({ signal, onProgress }: ActionRun): Run<T> {
  let count = 0
  const onBatch = (results: readonly T[]) => {
    count += results.length
    onProgress(count)
  }
  return { signal, onBatch }
}

async function changeJobs(deed: ActionRun, action: JobsAction): Promise<Done> {
  const { actions, confirm } = deed
  const { targets, guarded, amount, reason } = confirm
  const { verb, set } = action
  const change = {
    ...{ verb, reason: reason || null },
    ...(amount === null ? {} : { retries: amount }),
    ...(set ? { set } : {}),
  }
  const keys = targets.map(({ key }) => key)
  const frozen = { change, keys, targets, guarded, meant: meantWords(action, confirm) }
  const whySkipped = ({ kind }: { kind: string }) =>
    (guardedBecause as Readonly<Record<string, string>>)[kind] ?? 'it would do harm again'
  const operation = await applyJobs(actions, frozen, { ...running(deed), whySkipped })
  if (operation === null) return { words: `no job ${done[verb]}`, changedNothing: false }
  return {
    words: `${counted(operation.changed, 'job')} ${done[verb]}${restWords(operation)}`,
    changedNothing: changedNothing(operation),
  }
}

const changedNothing = ({ matched, changed }: Operation) => matched > 0 && changed === 0

function restWords(operation: Operation): string {
  const { id, skipped, failed, matched, changed, verb } = operation
  const left = matched - changed - skipped - failed
  const parts = [
    ...(skipped > 0 ? [`${thousands(skipped)} skipped`] : []),
    ...(failed > 0 ? [`${thousands(failed)} failed`] : []),
    ...(left > 0 ? [`${thousands(left)} not reached`] : []),
  ]
  const undo = changed > 0 && undoableVerbs.includes(verb) ? '; U undoes it' : ''
  return `${parts.map((part) => `, ${part}`).join('')} (operation ${id}${undo})`
}

async function undo(deed: ActionRun): Promise<Done> {
  const { actions, confirm } = deed
  const { engine } = actions
  const of = undoable(await planUndo(engine.reader, confirm.targets[0]?.key ?? null, engine.now()))
  const operation = await applyUndo(actions, { of, reason: confirm.reason || null }, running(deed))
  if (changedNothing(operation))
    return {
      words: `nothing of operation ${of.id} could be undone${restWords(operation)}`,
      changedNothing: true,
    }
  return fine(
    `operation ${of.id} undone: ${counted(operation.changed, 'target')} as before${restWords(operation)}`,
  )
}
