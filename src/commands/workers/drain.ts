import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { durationFlag } from '../../cli/flags.ts'
import { onInterrupt } from '../../cli/input/interrupt.ts'
import { prose } from '../../text/dedent.ts'
import { drained, tellDrained } from '../../cli/workers/worker-drain.ts'
import { meantWorkers, workersArg } from '../../cli/workers/worker-targets.ts'
import { applyDrain, planDrain } from '../../engine/actions/workers.ts'
import { untilDrained } from '../../engine/drain-workers.ts'
import type { Reader } from '../../engine/engine.ts'

export default class WorkersDrain extends BaseCommand {
  static override summary = 'Drain workers'
  static override description =
    prose`Asks workers to finish their jobs, claim no more, and exit, as SIGTERM does: a service manager then starts them with the new release.
A worker notices within 10 seconds; its jobs have its own --grace to finish, and the rest goes to other workers at no retry. All
processes of a run drain together, whichever of them is named.`
  static override examples = [
    {
      description: 'drain one after the other',
      command:
        '<%= config.bin %> workers drain web-1 --wait 5m && <%= config.bin %> workers drain web-2 --wait 5m',
    },
    '<%= config.bin %> workers drain web-1.1#3fa9c0de --reason "release 42"',
  ]
  static override args = { workers: workersArg() }
  static override flags = {
    'dry-run': changeFlags['dry-run'],
    reason: changeFlags.reason,
    wait: durationFlag(
      { summary: 'wait up to DURATION until they are gone; exits 7 if they are not' },
      { min: 1, max: 86_400_000 },
    ),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WorkersDrain)
    const dryRun = flags['dry-run']
    const actions = await this.openActions({ dryRun })
    const { reader } = actions.engine
    const found = await meantWorkers(reader, args.workers)
    const plan = planDrain(found.targets, { now: reader.now(), reason: flags.reason ?? null })
    const operation = dryRun ? null : await applyDrain(actions, plan)
    const workerIds = plan.workers.filter(({ is }) => is !== 'gone').map(({ id }) => id)
    const waited = flags.wait === undefined || dryRun ? null : await this.#wait(reader, workerIds, flags.wait)
    const end = { plan: drained(plan, found), dryRun, operation, waited, suffix: this.storeSuffix }
    this.endWith(tellDrained(this.output, end))
  }

  async #wait(store: Reader, workerIds: readonly string[], timeoutMs: number) {
    const interrupt = onInterrupt()
    try {
      const left = await untilDrained({
        store,
        clock: this.clock,
        workerIds,
        timeoutMs,
        signal: interrupt.signal,
      })
      return { left, stoppedWith: interrupt.exitCode }
    } finally {
      interrupt.release()
    }
  }
}
