import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { keyArg, revealFlags } from '../../cli/flags.ts'
import { readable } from '../../views/history-messages.ts'
import { noSuchJob } from '../../cli/input/not-found.ts'
import { say } from '../../terminal/safe.ts'
import { facts, jsonLines, section } from '../../views/sections.ts'
import { stepDocument, stepLinesOf } from '../../views/step-view.ts'

export default class IdempotencyShow extends BaseCommand {
  static override summary = 'Show the idempotent steps of a job'
  static override description =
    'A result is what the step returned first; every later attempt is given it instead of doing the step again.'
  static override examples = ['<%= config.bin %> idempotency show 17']
  static override args = { key: keyArg() }
  static override flags = { full: Flags.boolean({ summary: 'cut nothing' }), ...revealFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IdempotencyShow)
    const { full, reveal } = flags
    const store = await this.openRevealing(flags)
    const detail = await store.job(args.key)
    if (!detail) throw await noSuchJob(store, args.key)
    await this.recordReveal([args.key], flags)
    const { job, steps, effectsEpoch } = detail
    const { paint, width } = this.output
    const document = {
      key: job.key,
      type: job.type,
      state: job.state,
      effectsEpoch,
      steps: steps.map((step) => stepDocument(step, job, true)),
    }
    this.output.document(document, { reveal })
    this.output.print(
      say`${paint.bold(say`steps of job ${job.key}`)}  ${job.type}  ${job.state}`,
      ...facts(
        [['effects', effectsEpoch === 0 ? null : say`made anew ${effectsEpoch} times on a person's word`]],
        paint,
      ),
      ...(steps.length === 0 ? [say`  none`] : stepLinesOf(steps, job, { paint, width, now: store.now() })),
      ...steps.flatMap(({ step, result }) =>
        result === null ? [] : section(step, jsonLines(readable(result), { full, paint, reveal }), paint),
      ),
    )
  }
}
