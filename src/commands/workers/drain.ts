import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags } from '../../cli/changes/change-flags.ts'
import { durationFlag } from '../../cli/flags.ts'
import { onInterrupt } from '../../cli/input/interrupt.ts'
import { prose } from '../../text/dedent.ts'
import { who } from '../../cli/input/actor.ts'
import { drainPlan, tellDrained } from '../../cli/workers/worker-drain.ts'
import { findWorkers, workersArg } from '../../cli/workers/worker-targets.ts'
import { drainWorkers, untilDrained } from '../../engine/drain-workers.ts'
import type { Store } from '../../store/port.ts'

export default class WorkersDrain extends BaseCommand {
  static override summary = 'Ask workers to finish what they run, take nothing new, and end.'
  static override description =
    prose`As SIGTERM does, from another terminal: whatever starts workers again then starts them with the new release. A worker
hears of it within 10 seconds; its jobs have its own --grace to finish, and what is left goes to others at no retry. A run
drains as a whole, whichever of its processes is named.`
  static override examples = [
    {
      description: 'one after the other, each gone before the next is asked',
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
      { summary: 'until they are gone, at most so long; exit 7 when they are not' },
      { min: 1, max: 86_400_000 },
    ),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WorkersDrain)
    const dryRun = flags['dry-run']
    const { store } = await this.openEngine({ dryRun })
    const plan = drainPlan(await findWorkers(store, args.workers, store.now()), store.now())
    const meant = (...statuses: readonly string[]) =>
      plan.filter(({ status }) => statuses.includes(status)).map(({ id }) => id)
    const asked = meant('changed')
    const wish = { workerIds: asked, who: who(), reason: flags.reason ?? null }
    const operation = dryRun || asked.length === 0 ? null : await drainWorkers(store, wish)
    const waited =
      flags.wait === undefined || dryRun
        ? null
        : await this.#wait(store, meant('changed', 'skipped'), flags.wait)
    this.endWith(tellDrained(this.output, { plan, dryRun, operation, waited, suffix: this.storeSuffix }))
  }

  async #wait(store: Store, workerIds: readonly string[], timeoutMs: number) {
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
