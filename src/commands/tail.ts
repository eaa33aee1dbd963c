import { BaseCommand } from '../cli/base-command.ts'
import { choicesFlag, deadlineFlag, durationFlag, integerFlag, typesFlag } from '../cli/flags.ts'
import { jsonLine } from '../terminal/json.ts'
import { say } from '../terminal/safe.ts'
import { thousands } from '../terminal/time.ts'
import { prose } from '../text/dedent.ts'
import { readDuration } from '../cli/input/values.ts'
import { happeningKinds } from '../domain/feed-event.ts'

export default class Tail extends BaseCommand {
  static override summary = 'Follow what happens in the store, until Ctrl-C.'
  static override description =
    prose`New jobs, attempts that did not come through, incidents, dead letters, what people changed, workers that come
and go: a line each, as soon as it was committed. Jobs that complete are told one by one while no more than 2,000 jobs (of --type, if it is
given) are unfinished; of more they are counted, about once a second, and so is what completed before it began. Where more happens than
--lines a second, it is summed up, so nothing is left out. With --json each line is one document. Ctrl-C ends it with exit 0. To follow a
few jobs: wf jobs list KEY --watch.`
  static override examples = [
    '<%= config.bin %> tail',
    {
      description: 'what went wrong in the last ten minutes, and from now on',
      command: '<%= config.bin %> tail --since 10m --kind attempt,incident,dead_letter',
    },
    {
      description: 'each job of a type that completes',
      command: '<%= config.bin %> tail --type charge-payment --kind completed',
    },
    '<%= config.bin %> tail --type charge-payment --json | jq -r .detail',
  ]
  static override flags = {
    type: typesFlag('only of these types'),
    kind: choicesFlag(happeningKinds, {
      summary: `only of these kinds: ${happeningKinds.join(', ')}`,
      helpValue: 'KIND',
    }),
    since: deadlineFlag({ summary: 'begin this long ago, or at this instant; now unless told' }),
    lines: integerFlag(
      { min: 8, max: 1_000 },
      { summary: 'at most so many lines a second, 8 to 1,000 (20 unless told)' },
    ),
    for: durationFlag(
      { summary: 'end by itself after this, once all that is there by then was told' },
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
      { happeningDocument, happeningLine },
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
        // Only to whom asked for them.
        onCounted: () =>
          kinds &&
          output.note(
            say`more than ${thousands(mostKnown)} jobs are unfinished: those that complete are counted`,
          ),
        tell: (happening) => {
          if (output.json) output.out.write(jsonLine(happeningDocument(happening)))
          else
            output.print(
              happeningLine(happening, {
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
