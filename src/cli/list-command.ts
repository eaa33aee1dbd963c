/** What lists share: with `--watch` they stay on the screen and follow the store. */
import { Flags } from '@oclif/core'
import type { Reader } from '../engine/engine.ts'
import { BaseCommand } from './base-command.ts'
import { guarded } from './flags.ts'
import { readDuration } from '../text/parse-input.ts'

export const watchFlags = {
  watch: Flags.boolean({
    summary: 'stay, and draw it again in its place whenever the store changes; Ctrl-C ends it',
  }),
  every: Flags.custom<number>({
    ...{
      summary: 'with --watch: look no more often than this, 200ms to 1d (1s unless told)',
      helpValue: 'DURATION',
      dependsOn: ['watch'],
    },
    parse: guarded((text, name) => readDuration(text, name, { min: 200, max: 86_400_000 })),
  })(),
}

export interface WatchFlagValues {
  watch: boolean
  every?: number | undefined
}

export abstract class ListCommand extends BaseCommand {
  #reader: Promise<Reader> | undefined

  /** One for all that is drawn. */
  protected override openReader(): Promise<Reader> {
    this.#reader ??= super.openReader()
    return this.#reader
  }

  /** @param draw everything from the store to `this.output`, as often as it is called */
  protected async watched(
    { watch, every = 1_000 }: WatchFlagValues,
    draw: () => Promise<void>,
  ): Promise<void> {
    if (!watch) return draw()
    const [{ refuseWatch, watchList }, { onInterrupt }] = await Promise.all([
      import('./output/watch.ts'),
      import('./input/interrupt.ts'),
    ])
    const { output, clock } = this
    refuseWatch(output, process.env)
    const store = await this.openReader()
    const interrupt = onInterrupt()
    try {
      await watchList({
        ...{ output, store, clock, everyMs: every, signal: interrupt.signal },
        title: `wf ${(this.id ?? '').replaceAll(':', ' ')}`,
        rows: () => process.stdout.rows || 24,
        draw: async (sinks) => {
          this.output = await this.outputTo(sinks)
          await draw()
        },
      })
    } finally {
      this.output = output
      interrupt.release()
    }
  }
}
