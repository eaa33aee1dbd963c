/** Resolves the targets of an action when its panel opens: jobs that match later are not taken. */
import { freeze as freezeJobs, type Frozen } from '../engine/actions/targets.ts'
import { planUndo } from '../engine/actions/undo.ts'
import { commandOf } from '../engine/actions/index.ts'
import { undoable } from '../messages/operation-messages.ts'
import type { StoreReader } from '../store/port.ts'
import { counted, relative, thousands } from '../terminal/time.ts'
import type { Action } from './state.ts'

/** Throws WfErrors `not_found` and `conflict` where there is nothing to undo, and an Error for too many jobs. */
export async function resolveTargets(reader: StoreReader, action: Action, now: number): Promise<Frozen> {
  switch (action.of) {
    case 'jobs': {
      const frozen = await freezeJobs(reader, action, { limit: mostTargets + 1 })
      if (frozen.targets.length + frozen.guarded.length > mostTargets) throw new Error(tooMany)
      return frozen
    }
    case 'operation': {
      const { id, verb, changed, selector, who, at } = undoable(await planUndo(reader, null, now))
      const what = `operation ${id}: wf ${commandOf(verb)} ${selector}, ${counted(changed, 'target')} changed by ${who} ${relative(at, now)}`
      return { targets: [{ key: id, type: what, kind: verb }], guarded: [] }
    }
    default:
      return { targets: [], guarded: [] }
  }
}

/** The keys are kept in memory until the change is done. */
export const mostTargets = 100_000
const tooMany = `more than ${thousands(mostTargets)} jobs match: / narrows the list, and the command line takes any number`
