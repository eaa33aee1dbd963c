import { Flags } from '@oclif/core'
import { deadlineFlag, textFlag } from '../../cli/flags.ts'
import { iso } from '../../terminal/json.ts'
import { prose } from '../../text/dedent.ts'
import { typesArg, TypesChange } from '../../cli/changes/types-change.ts'
import { readDuration } from '../../text/parse-input.ts'
import { WfError } from '../../errors.ts'

export default class TypesPause extends TypesChange {
  static override summary = 'Let no further job of a type start.'
  static override description =
    prose`Running jobs finish. Jobs may be enqueued and wait. A type is also paused by wf itself when 20 of its attempts in a row ended as
poison or incident. With --until it ends by itself at that time, whether or not a worker runs then; without, wf types resume ends
it. A type that is paused already takes the new end. However a pause ends, what waited starts on a ramp: one job in the first second,
two in the next, then four. A name that no job and no worker has used is refused (exit 4) unless --force.`
  static override examples = [
    '<%= config.bin %> types pause charge-payment --reason "provider is down"',
    '<%= config.bin %> types pause charge-payment --until 2h --reason "their maintenance"',
    {
      description: 'all of them',
      command: '<%= config.bin %> types list --ids | <%= config.bin %> types pause - --reason release',
    },
  ]
  static override args = { types: typesArg() }
  static override flags = {
    until: deadlineFlag({
      summary:
        'when it ends by itself: an instant, or a duration from now; without it somebody has to resume the type',
    }),
    reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }),
    force: Flags.boolean({
      summary: 'also types of which there is no job yet and that no worker has declared',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TypesPause)
    await this.pauseOrResume(args.types, {
      paused: true,
      untilAt: this.#untilAt(flags.until),
      reason: flags.reason ?? null,
      force: flags.force,
    })
  }

  #untilAt(until: number | string | undefined): number | null {
    if (until === undefined) return null
    const untilAt = typeof until === 'string' ? this.now() + readDuration(until, '--until') : until
    if (untilAt > this.now()) return untilAt
    throw new WfError('usage', `--until ${iso(untilAt)} is over`, {
      hint: 'write an instant that is to come, or a duration such as 30m',
    })
  }
}
