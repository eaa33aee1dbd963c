import { BaseCommand } from '../cli/base-command.ts'
import { changeFlags } from '../cli/changes/change-flags.ts'
import { noSuchOperation } from '../cli/input/not-found.ts'
import { optionalOperationArg } from '../cli/flags.ts'
import { prose } from '../text/dedent.ts'

export default class Undo extends BaseCommand {
  static override summary = 'Undo an operation'
  static override description =
    prose`Without OPERATION it undoes the last one that can be undone: it names it, and prompts on a terminal. Jobs that were resolved,
retried or updated return to their former state, with their incident, dead letter and variables, unless an attempt has started or the
job was changed since; those are named and left alone (exit 6, or 5 if nothing was undone). Pauses, resumes, trips and closings of
breakers are reverted unless they were changed since.

Cancel, discard and purge are final. Steps that --new-effects made forgotten do not come back. An undo is an operation too, and cannot
be undone.`
  static override examples = [
    '<%= config.bin %> undo --dry-run',
    {
      description: 'undo the change that printed `operation 12`',
      command: '<%= config.bin %> undo 12 --reason "wrong filter"',
    },
  ]
  static override args = { operation: optionalOperationArg() }
  static override flags = { ...changeFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Undo)
    const [{ planUndo }, { approveUndo, undoAndTell }, { undoable }] = await Promise.all([
      import('../engine/actions/undo.ts'),
      import('../cli/changes/undo-change.ts'),
      import('../messages/operation-messages.ts'),
    ])
    const { yes, reason = null, 'dry-run': dryRun } = flags
    const actions = await this.openActions({ dryRun })
    const { reader } = actions.engine
    const plan = await planUndo(reader, args.operation ?? null, reader.now())
    if (plan.of === null && args.operation !== undefined) throw await noSuchOperation(reader, args.operation)
    const of = undoable(plan)
    const isNamed = args.operation !== undefined
    await approveUndo(this.output, of, { yes, isNamed, dryRun, now: reader.now() })
    this.endWith(await undoAndTell({ output: this.output, actions }, { of, reason, dryRun }))
  }
}
