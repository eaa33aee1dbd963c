/** The base of lists: with `--watch` they stay on the screen and follow the store. */
import { Flags } from '@oclif/core'
import type { Reader } from '../engine/engine.ts'
import { BaseCommand } from './base-command.ts'
import { guarded } from './flags.ts'
import { readDuration } from '../text/parse-input.ts'

export const watchFlags = {
  watch: Flags.boolean({
    summary: 'redraw in place whenever the store changes, until Ctrl-C',
  }),
  every: Flags.custom<number>({
    ...{
      summary: 'with --watch: minimum time between two polls, 200ms to 1d (default: 1s)',
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

  /** Shares one reader between all redraws. */
  protected override openReader(): Promise<Reader> {
    this.#reader ??= super.openReader()
    return this.#reader
  }

  /** @param draw reads the store and draws to `this.output`; called for each redraw */
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
