import { BaseCommand } from '../cli/base-command.ts'
import { choicesFlag, deadlineFlag, durationFlag, integerFlag, typesFlag } from '../cli/flags.ts'
import { jsonLine } from '../terminal/json.ts'
import { say } from '../terminal/safe.ts'
import { thousands } from '../terminal/time.ts'
import { prose } from '../text/dedent.ts'
import { readDuration } from '../text/parse-input.ts'
import { feedEventKinds } from '../domain/feed-event.ts'

export default class Tail extends BaseCommand {
  static override summary = 'Follow events of the store'
  static override description =
    prose`Shows new jobs, failed attempts, incidents, dead letters and operator actions, a line each, as soon as they are
committed. Completed jobs are shown as long as at most 2,000 jobs (of --type, if given) are unfinished. If more than --lines events happen in
a second, wf tail shows sums instead, so nothing is left out. With --json each line is one document. Ctrl-C ends it with exit code 0. To
follow a few jobs, use wf jobs list KEY --watch.`
  static override examples = [
    '<%= config.bin %> tail',
    {
      description: 'failures of the last ten minutes, and from now on',
      command: '<%= config.bin %> tail --since 10m --kind attempt,incident,dead_letter',
    },
    {
      description: 'completed jobs of a type',
      command: '<%= config.bin %> tail --type charge-payment --kind completed',
    },
    '<%= config.bin %> tail --type charge-payment --json | jq -r .detail',
  ]
  static override flags = {
    type: typesFlag('only these job types'),
    kind: choicesFlag(feedEventKinds, {
      summary: `only these kinds: ${feedEventKinds.join(', ')}`,
      helpValue: 'KIND',
    }),
    since: deadlineFlag({ summary: 'start this long ago, or at this instant (default: now)' }),
    lines: integerFlag(
      { min: 8, max: 1_000 },
      { summary: 'maximum number of lines a second, 8 to 1,000 (default: 20)' },
    ),
    for: durationFlag(
      { summary: 'end after DURATION, once everything committed by then is shown' },
      { min: 1, max: 365 * 86_400_000 },
    ),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Tail)
    const { type: types, kind: kinds, since, lines = 20, for: forMs = null } = flags
    const [
      store,
      { follow },
      { Completions, mostKnown },
      { feedEventDocument, feedEventLine },
      { onInterrupt },
    ] = await Promise.all([
      this.openReader(),
      import('../cli/stats/tail.ts'),
      import('../cli/stats/completions.ts'),
      import('../cli/stats/tail-view.ts'),
      import('../cli/input/interrupt.ts'),
    ])
    const { output, clock } = this
    await this.sayNear(store, types ? { types } : {})
    const interrupt = onInterrupt()
    try {
      await follow({
        ...{ store, clock, types, kinds, lines, forMs, signal: interrupt.signal, since: this.#since(since) },
        completions: kinds && !kinds.includes('completed') ? null : new Completions(store, types),
        onTooMany: () =>
          kinds &&
          output.note(
            say`more than ${thousands(mostKnown)} jobs are unfinished: completed jobs are no longer shown`,
          ),
        emit: (event) => {
          if (output.json) output.out.write(jsonLine(feedEventDocument(event)))
          else
            output.print(
              feedEventLine(event, {
                paint: output.paint,
                width: output.out.isTTY ? output.out.columns : output.width,
              }),
            )
        },
        async flushed() {
          await output.out.drained()
          return !output.out.closed
        },
      })
    } finally {
      interrupt.release()
    }
  }

  #since(since: number | string | undefined): number | null {
    if (since === undefined) return null
    return typeof since === 'string' ? this.now() - readDuration(since, '--since') : since
  }
}
