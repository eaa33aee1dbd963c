import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { prose } from '../../text/dedent.ts'
import { joined, say } from '../../terminal/safe.ts'
import { counted } from '../../terminal/time.ts'
import { tellReleased } from '../../cli/workers/worker-release.ts'
import { releasedOf, releaseTarget } from '../../views/released-workers.ts'
import { meantWorkers, workersArg } from '../../cli/workers/worker-targets.ts'
import { withStats } from '../../metrics/stats.ts'
import { applyRelease, planRelease, previewRelease, type Released } from '../../engine/actions/workers.ts'

export default class WorkersRelease extends BaseCommand {
  static override summary = 'Release the jobs of dead workers'
  static override description =
    prose`Ends the attempts of dead workers as lost, at no retry, so that their jobs start elsewhere at once instead of when the leases expire.
The workers' rows are removed, and the release is recorded.

A worker that is alive is refused, because its jobs would run twice: one whose process runs on this machine, or whose lease moves
while it is watched, for half of what is left of the lease at most. --force skips this check.`
  static override examples = [
    '<%= config.bin %> workers release web-1 --reason "the machine is gone"',
    '<%= config.bin %> workers release web-1.1#3fa9c0de --dry-run',
  ]
  static override args = { workers: workersArg() }
  static override flags = {
    'dry-run': changeFlags['dry-run'],
    force: Flags.boolean({
      default: false,
      summary: 'release workers that may be alive; their jobs may then run twice at the same time',
    }),
    reason: changeFlags.reason,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WorkersRelease)
    const { 'dry-run': dryRun, force: forced } = flags
    const actions = await this.openActions({ dryRun })
    const found = await meantWorkers(actions.engine.reader, args.workers)
    const onWatch = (ids: readonly string[], mostMs: number) =>
      this.output.note(
        this.output.errPaint.dim(
          say`watching ${joined(ids, ', ')} for ${counted(Math.ceil(mostMs / 1_000), 'second')} at most`,
        ),
      )
    const plan = await planRelease(actions, { found, forced, reason: flags.reason ?? null, onWatch })
    const shown = (results: readonly Released[]) => releasedOf(results, found)
    const end = dryRun
      ? { released: await previewRelease(actions.engine, plan), operation: null }
      : await withStats(actions, () =>
          applyRelease(actions, plan, (results) => shown(results).map(releaseTarget)),
        )
    this.endWith(tellReleased(this.output, { ...end, released: shown(end.released) }, { dryRun, forced }))
  }
}
