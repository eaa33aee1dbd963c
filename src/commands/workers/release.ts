import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { prose } from '../../text/dedent.ts'
import { joined, say } from '../../terminal/safe.ts'
import { counted } from '../../terminal/time.ts'
import { who } from '../../cli/input/actor.ts'
import { releaseWorkers, tellReleased } from '../../cli/workers/worker-release.ts'
import { signsOf } from '../../cli/workers/liveness.ts'
import { findWorkers, workersArg } from '../../cli/workers/worker-targets.ts'
import type { Engine } from '../../engine/engine.ts'
import { loggerOf } from '../../logger.ts'
import { createStats } from '../../metrics/stats.ts'

export default class WorkersRelease extends BaseCommand {
  static override summary = 'Give the jobs of dead workers to others now, not when their lease is over.'
  static override description =
    prose`What the workers held ends as lost, at no retry, and starts elsewhere at once; their rows go, and who released them is recorded.

A worker that lives is refused, because its jobs would run twice: one whose process runs on this machine, or whose lease moves
while it is watched, for half of what is left of the lease at most. --force does not look.`
  static override examples = [
    '<%= config.bin %> workers release web-1 --reason "the machine is gone"',
    '<%= config.bin %> workers release web-1.1#3fa9c0de --dry-run',
  ]
  static override args = { workers: workersArg() }
  static override flags = {
    'dry-run': changeFlags['dry-run'],
    force: Flags.boolean({
      default: false,
      summary: 'release them even if they live; their jobs may then run twice at the same time',
    }),
    reason: changeFlags.reason,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WorkersRelease)
    const { 'dry-run': dryRun, force: forced } = flags
    const engine = await this.openEngine({ dryRun })
    const { store } = engine
    const found = await findWorkers(store, args.workers, store.now())
    const onWatch = (ids: readonly string[], mostMs: number) =>
      this.output.note(
        this.output.errPaint.dim(
          say`watching ${joined(ids, ', ')} for ${counted(Math.ceil(mostMs / 1_000), 'second')} at most`,
        ),
      )
    const rows = found.targets.flatMap(({ row }) => row ?? [])
    const signs = await signsOf(forced ? [] : rows, { store, clock: this.clock, onWatch })
    const release = { who: who(), reason: flags.reason ?? null, forced }
    const released = await this.#counted(engine, () =>
      releaseWorkers({ engine, found, signs, release, dryRun }),
    )
    this.endWith(tellReleased(this.output, released, { dryRun, forced }))
  }

  /** Losses stand in the statistics, whoever settles them. */
  async #counted<T>(engine: Engine, run: () => Promise<T>): Promise<T> {
    const stats = createStats({
      events: engine.events,
      store: engine.store,
      clock: this.clock,
      log: loggerOf(() => {}),
    })
    stats.start()
    try {
      return await run()
    } finally {
      await stats.stop()
    }
  }
}
