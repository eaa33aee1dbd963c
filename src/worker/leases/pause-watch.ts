/**
 * Tells a worker's reader of types that are paused, by whoever and in whatever process: of its own accord when they were
 * before it began, and of resuming. Without it a worker that has nothing to do would say nothing.
 */
import type { Clock } from '../../clock.ts'
import { quoted } from '../../text/shell-words.ts'
import type { Logger } from '../../logger.ts'
import type { Store } from '../../store/port.ts'
import type { Upkeep } from './lease-manager.ts'
import type { PausedType } from '../../store/views.ts'

export interface PauseWatchOptions {
  store: Pick<Store, 'pausedTypes' | 'now'>
  clock: Clock
  log: Logger
  /** Those that this worker handles; may grow. */
  types(): readonly string[]
}

const everyMs = 1_000

export function createPauseWatch({ store, clock, log, types }: PauseWatchOptions): Upkeep {
  const ended = new AbortController()
  let known: ReadonlyMap<string, PausedType> = new Map()
  let running: Promise<void> | null = null
  const look = async () => {
    const own = new Set(types())
    const paused = new Map(
      (await store.pausedTypes(store.now()))
        .filter(({ type }) => own.has(type))
        .map((each) => [each.type, each]),
    )
    for (const each of paused.values()) if (!isSame(known.get(each.type), each)) tellPaused(log, each)
    for (const type of known.keys())
      if (!paused.has(type)) log.info(`type ${type} was resumed; its jobs start again`, { type })
    known = paused
  }
  // A store that cannot be read is told of by those that need it more.
  const tryToLook = () => look().catch(() => {})
  const run = async () => {
    while (!ended.signal.aborted) {
      await tryToLook()
      await clock.sleep(everyMs, ended.signal)
    }
  }
  return {
    start() {
      running ??= run()
    },
    /** With a last look: a short run ends because of a pause. */
    async stop() {
      ended.abort()
      await running
      await tryToLook()
    },
  }
}

/** One whose end was moved is told again. */
function isSame(known: PausedType | undefined, { since, untilAt }: PausedType): boolean {
  return known !== undefined && known.since === since && known.untilAt === untilAt
}

/** The reason of wf's own pause names the row of stops that led to it. */
function tellPaused(log: Logger, { type, by, reason, untilAt }: PausedType): void {
  const why = reason === null ? '' : `, because ${reason}`
  const end = untilAt === null ? `wf types resume ${quoted(type)}` : new Date(untilAt).toISOString()
  log.warn(`type ${type} is paused by ${by}${why}; its jobs stay until ${end}`, {
    type,
    by,
    reason,
    ...(untilAt === null ? {} : { untilAt }),
  })
}
