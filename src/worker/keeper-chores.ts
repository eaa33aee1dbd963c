/** The chores of a worker beside its jobs: each at its own interval, one failing without the others, each failure said once until it works again. */
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'

export interface Chore {
  /** For the log: `sweeping expired leases`. */
  name: string
  everyMs: number
  run(): Promise<unknown>
}

/** Runs every chore at its interval until `ended`; resolves when the last run is over. */
export async function runChores({
  chores,
  clock,
  log,
  ended,
}: {
  chores: readonly Chore[]
  clock: Clock
  log: Logger
  ended: AbortSignal
}): Promise<void> {
  await Promise.all(chores.map((chore) => repeat({ chore, clock, log, ended })))
}

async function repeat({ chore, clock, log, ended }: { chore: Chore; clock: Clock; log: Logger; ended: AbortSignal }): Promise<void> {
  let failing = false
  while (!ended.aborted) {
    await clock.sleep(chore.everyMs, ended)
    if (ended.aborted) return
    try {
      await chore.run()
      if (failing) log.info(`${chore.name} works again`)
      failing = false
    } catch (error) {
      if (!failing) log.warn(`${chore.name} failed; trying again: ${error instanceof Error ? error.message : String(error)}`)
      failing = true
    }
  }
}
