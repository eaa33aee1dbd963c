import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags, paceFlags } from '../../cli/changes/change-flags.ts'
import { keysArg } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { boundFlags, refuseBound, selectorFlags, selectorOf } from '../../cli/input/selector-flags.ts'
import { counted } from '../../terminal/time.ts'

export default class DlqPurge extends BaseCommand {
  static override summary = 'Delete stored copies of dead letters'
  static override description =
    prose`Deletes closed dead letters: those whose jobs were retried, discarded or cancelled. The jobs themselves stay.
An open dead letter still has a job that waits for a decision: it is skipped unless --open selects it, which cancels its job for good
first. --older-than counts from when a letter was last received. With a selector instead of keys it prompts on a terminal, and needs
--yes elsewhere. Retention deletes old dead letters without a purge. This cannot be undone.`
  static override examples = [
    '<%= config.bin %> dlq purge --older-than 30d --dry-run',
    {
      description: 'include open ones, whose jobs then never run again',
      command: '<%= config.bin %> dlq purge --older-than 90d --open --yes',
    },
    {
      description: 'keep a copy elsewhere first',
      command:
        '<%= config.bin %> dlq export --closed --older-than 30d > old.jsonl && <%= config.bin %> dlq purge --older-than 30d',
    },
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...selectorFlags('dlq'),
    ...boundFlags('dlq'),
    open: Flags.boolean({
      summary: 'include open dead letters: their jobs are cancelled for good',
      default: false,
    }),
    ...changeFlags,
    ...paceFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqPurge)
    const { open, yes, 'dry-run': dryRun, rate: perSecond, limit, sort, reason = null } = flags
    const [{ approve, needsTarget, sampleLines }, { applyPurge, planPurge, previewPurge }, { runChange }] =
      await Promise.all([
        import('../../cli/changes/approve.ts'),
        import('../../engine/actions/purge.ts'),
        import('../../cli/changes/change-run.ts'),
      ])
    const selector = selectorOf(flags, this.now())
    const isSelected = Object.keys(selector).length > 0
    const keys = args.keys && (await readKeys(args.keys))
    if (!keys && !isSelected) throw needsTarget('dlq purge')
    if (!isSelected) refuseBound(flags)
    const actions = await this.openActions({ dryRun })
    const { reader } = actions.engine
    const plan = await planPurge(reader, { keys, selector, bound: { limit, sort }, open, reason })
    const { targets, leftOpen } = plan
    const [noun, done] = ['dead letter', 'deleted for good']
    if (isSelected && targets.length === 0)
      await this.sayNothing(reader, keys ? { ...selector, keys } : selector)
    if (leftOpen > 0)
      this.output.note(
        say`${counted(leftOpen, 'open dead letter')} passed by: --open takes them, and their jobs then never run again`,
      )
    if (dryRun) this.output.print(...sampleLines(targets))
    else await approve(this.output, { targets, done, noun, verb: 'purge', again: null, yes, unasked: false })
    const code = await runChange(
      { output: this.output, actions, suffix: this.storeSuffix },
      {
        ...{ verb: 'purge', noun, done, keys: plan.keys, dryRun, perSecond },
        async preview(run) {
          await previewPurge(actions, plan, run)
          return
        },
        apply: (run) => applyPurge(actions, plan, run),
      },
    )
    this.endWith(code)
  }
}
