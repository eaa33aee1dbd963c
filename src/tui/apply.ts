/** Does what a person has agreed to, through the engine, as one operation that can be looked up and undone. */
import type { Clock } from '../clock.ts'
import { counted, thousands } from '../terminal/time.ts'
import { guardedBecause, type IncidentKind } from '../domain/incident.ts'
import { undoableVerbs, type Operation } from '../domain/operation.ts'
import { closeBreaker, tripBreaker } from '../engine/breaker-admin.ts'
import { changeMany } from '../engine/bulk.ts'
import type { Engine } from '../engine/engine.ts'
import { operationToUndo, undoOperation } from '../engine/undo.ts'
import { meantWords } from './as-command.ts'
import { usualTripMinutes, type JobsPlan, type JobVerb } from './action.ts'
import type { Confirm } from './state.ts'

export interface Deed {
  engine: Engine
  clock: Clock
  confirm: Confirm
  who: string
  /** Stops between two batches. */
  signal: AbortSignal
  onProgress(done: number): void
}

export interface Done {
  /** A finished sentence. */
  words: string
  /** Something was to be changed, and nothing was. */
  isVain: boolean
}

/** What was done. Rejects with the store's errors. */
export async function act(deed: Deed): Promise<Done> {
  const { engine, confirm, who } = deed
  const { plan, amount } = confirm
  const reason = confirm.reason || null
  switch (plan.of) {
    case 'jobs':
      return changeJobs(deed, plan)
    case 'breaker': {
      const { name, verb } = plan
      const why = { who, reason: confirm.reason }
      if (verb === 'trip') {
        await tripBreaker(engine.store, name, { ...why, forMs: (amount ?? usualTripMinutes) * 60_000 })
        return fine(`the breaker ${name} is open for ${amount ?? usualTripMinutes} min`)
      }
      const { changed } = await closeBreaker(engine.store, name, why)
      return fine(changed ? `the breaker ${name} is closed` : `the breaker ${name} was closed already`)
    }
    case 'type': {
      const { type, verb } = plan
      const changed = await engine.pauseTypes([type], { paused: verb === 'pause', reason, who })
      return fine(
        changed.length > 0
          ? `${type} is ${verb === 'pause' ? 'paused' : 'resumed'}`
          : `${type} was ${verb === 'pause' ? 'paused' : 'running'} already`,
      )
    }
    default:
      return undo(deed)
  }
}

const fine = (words: string): Done => ({ words, isVain: false })

const done: Readonly<Record<JobVerb, string>> = {
  resolve: 'resolved',
  retry: 'retried',
  dlq_retry: 'retried',
  discard: 'discarded',
  cancel: 'cancelled',
}

async function changeJobs(
  { engine, clock, confirm, who, signal, onProgress }: Deed,
  plan: JobsPlan,
): Promise<Done> {
  const { targets, guarded, amount } = confirm
  const keys = targets.map(({ key }) => key)
  let count = 0
  const operation = await changeMany({
    ...{ engine, clock, keys, signal },
    selector: meantWords(plan, confirm),
    resolution: {
      verb: plan.verb,
      who,
      reason: confirm.reason || null,
      ...(amount === null ? {} : { retries: amount }),
      ...(plan.set ? { set: plan.set } : {}),
    },
    passedBy: guarded.map(({ key, kind }) => ({
      jobKey: key,
      why: guardedBecause[kind as IncidentKind] ?? 'it would do harm again',
    })),
    onBatch(applied) {
      count += applied.length
      onProgress(count)
    },
  })
  return {
    words: `${counted(operation.changed, 'job')} ${done[plan.verb]}${restWords(operation)}`,
    isVain: isVain(operation),
  }
}

const isVain = ({ matched, changed }: Operation) => matched > 0 && changed === 0

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

async function undo({ engine, clock, confirm, who, signal, onProgress }: Deed): Promise<Done> {
  const of = await operationToUndo(engine.store, confirm.targets[0]?.key ?? null, engine.store.now())
  let count = 0
  const operation = await undoOperation({
    ...{ store: engine.store, clock, of, who, reason: confirm.reason || null, signal },
    onBatch(undone) {
      count += undone.length
      onProgress(count)
    },
  })
  if (isVain(operation))
    return { words: `nothing of operation ${of.id} could be undone${restWords(operation)}`, isVain: true }
  return fine(
    `operation ${of.id} undone: ${counted(operation.changed, 'target')} as before${restWords(operation)}`,
  )
}
