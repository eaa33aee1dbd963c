import { BaseCommand } from '../cli/base-command.ts'
import { changeFlags } from '../cli/changes/change-flags.ts'
import { noSuchOperation } from '../cli/input/not-found.ts'
import { optionalOperationArg } from '../cli/flags.ts'
import { prose } from '../text/dedent.ts'

export default class Undo extends BaseCommand {
  static override summary = 'Take a change back, where nothing has happened since.'
  static override description =
    prose`Without OPERATION: the last one that can be undone; it says which, and asks on a terminal. Jobs that were resolved, retried or
updated are again as they were, their incident and dead letter open, their variables as before, unless an attempt has started since or
somebody has changed them; those are named and left alone (exit 6, or 5 when nothing came back). Pauses, resumes, trips and closings of
breakers are turned back unless they have been turned since.

What was cancelled, discarded or purged is final. Steps that --new-effects made forgotten do not come back. An undo is an operation
too, and cannot be undone: do again what was undone.`
  static override examples = [
    '<%= config.bin %> undo --dry-run',
    {
      description: 'the change that said `operation 12`',
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
