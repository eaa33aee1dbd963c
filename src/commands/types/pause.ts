import { Flags } from '@oclif/core'
import { deadlineFlag, textFlag } from '../../cli/flags.ts'
import { iso } from '../../terminal/json.ts'
import { prose } from '../../text/dedent.ts'
import { typesArg, TypesChange } from '../../cli/changes/types-change.ts'
import { readDuration } from '../../text/parse-input.ts'
import { WfError } from '../../errors.ts'

export default class TypesPause extends TypesChange {
  static override summary = 'Pause job types'
  static override description =
    prose`No further job of the types starts; running ones finish, and new ones can be enqueued. wf itself pauses a type after 20 attempts
in a row that ended as poison or incident. With --until the pause ends by itself, whether or not a worker runs then; without it,
wf types resume ends it. Pausing a paused type changes its end. After a pause jobs start on a ramp: one in the first second, two in the
next, then four. A type that no job and no worker has used is refused (exit 4) unless --force.`
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
      summary: 'end of the pause: an instant, or a duration from now',
    }),
    reason: textFlag({ summary: 'reason, for the record', helpValue: 'TEXT' }),
    force: Flags.boolean({
      summary: 'also types that no job and no worker has used',
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
