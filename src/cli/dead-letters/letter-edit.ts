/** The variables of a dead letter's job, edited as a whole: what came of it as changes, checked before anything is done with them. */
import { changesOfEdit, editableVariables, type EditableVariables } from '../../domain/edited-variables.ts'
import { WfError } from '../../errors.ts'
import type { VariableChange } from '../../domain/resolution.ts'
import { setVariables } from '../../domain/set-variable.ts'
import type { LoadedHandler } from '../../worker/handler/loaded-handler.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import { edited } from '../input/editor.ts'
import { describeError } from '../errors.ts'
import type { Output } from '../../terminal/output.ts'
import { say } from '../../terminal/safe.ts'

export interface Editing {
  jobKey: number
  /** JSON text, as stored. */
  variables: string
  variablesBytes: number
  /** Secrets stand there as they are; else as `***`, which stays what it was. */
  reveal: boolean
  /** Whose schema they must fit. */
  handler: LoadedHandler | null
}

/** Throws WfError `refused` when nothing was changed, `invalid_job` when what came of it cannot be taken and nobody edits again. */
export async function editVariables(output: Output, editing: Editing): Promise<readonly VariableChange[]> {
  const given = editableVariables(editing.variables, editing.reveal)
  for (let { text } = given; ; ) {
    text = await edited(text, { name: `variables-${editing.jobKey}.json` })
    try {
      return await changesOf(text, given, editing)
    } catch (error) {
      if (!(error instanceof WfError) || error.code === 'refused' || !canAsk(output)) throw error
      describeError(error, output)
      if (!(await confirm(say`Edit again?`))) throw new WfError('refused', 'nothing was changed')
    }
  }
}

async function changesOf(
  text: string,
  given: EditableVariables,
  editing: Editing,
): Promise<readonly VariableChange[]> {
  const changes = changesOfEdit(text, given)
  if (changes.length === 0) {
    throw new WfError('refused', 'the variables were left as they are: nothing was changed', {
      hint: `wf dlq retry ${editing.jobKey} runs it again as it is`,
    })
  }
  const { text: next } = setVariables(editing.variables, changes, editing.variablesBytes)
  if (editing.handler) await refuseUnfit(next, editing.handler)
  return changes
}

async function refuseUnfit(variables: string, handler: LoadedHandler): Promise<void> {
  const { prepareVariables } = await import('../../worker/runner/variables.ts')
  const prepared = await prepareVariables(variables, handler)
  if (prepared.ok) return
  const { outcome } = prepared
  const why = 'error' in outcome && outcome.error ? outcome.error.message : 'the handler refuses them'
  throw new WfError('invalid_job', `${why}\n(the schema of ${handler.type})`, {
    hint: 'nothing was changed; edit them again',
  })
}

/** The handler of `type` in a module that a person named. What the module prints meanwhile is no part of the answer. */
export async function handlerOf(file: string, type: string, timeoutMs: number): Promise<LoadedHandler> {
  const { loadHandlers } = await import('../../worker/handler/load-handlers.ts')
  const write = process.stdout.write
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof write
  try {
    const handler = (await loadHandlers([file], { only: [type], timeoutMs })).get(type)
    if (handler) return handler
  } finally {
    process.stdout.write = write
  }
  throw new WfError('handler_load_failed', `${file} has no handler for ${type}`)
}
