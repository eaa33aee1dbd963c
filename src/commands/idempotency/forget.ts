import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { keyArg } from '../../cli/flags.ts'
import { noSuchJob } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'
import { approveForgetting, tellForgotten } from '../../cli/jobs/step-forget.ts'
import { readText } from '../../text/parse-input.ts'
import { stepLimits } from '../../domain/step.ts'
import { applyForget } from '../../engine/actions/steps.ts'

export default class IdempotencyForget extends BaseCommand {
  static override summary = 'Forget idempotent steps of a job'
  static override description =
    prose`The next attempt of the job does the steps again, so an effect that has happened can happen twice: a card is charged again, a mail
is sent again. Check the other side first. Without STEPS it forgets all steps of the job. It prompts on a terminal, and needs --yes
elsewhere.

A running attempt is not affected: steps that it has begun it completes.`
  static override examples = [
    {
      description: 'make a charge again that was refunded by hand',
      command: '<%= config.bin %> idempotency forget 17 charge --reason refunded',
    },
    '<%= config.bin %> idempotency forget 17 --dry-run',
  ]
  static override args = {
    key: keyArg(),
    steps: Args.custom<string>({
      parse: async (text) => readText(text, 'the step', stepLimits.nameCharacters),
    })({
      description: 'names of the steps (default: all of the job)',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = { ...changeFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IdempotencyForget)
    const dryRun = flags['dry-run']
    const actions = await this.openActions({ dryRun })
    const { reader } = actions.engine
    const detail = await reader.job(args.key)
    if (!detail) throw await noSuchJob(reader, args.key)
    const there = detail.steps.map(({ step }) => step)
    const wanted = [...new Set(args.steps ?? there)]
    const found = wanted.filter((step) => there.includes(step))
    if (!dryRun) await approveForgetting(this.output, { job: detail.job, steps: found, yes: flags.yes })
    const done = dryRun
      ? { forgotten: found, operation: null }
      : await applyForget(actions, { jobKey: args.key, steps: found, reason: flags.reason ?? null })
    tellForgotten(this.output, { jobKey: args.key, wanted, dryRun, ...done })
  }
}
