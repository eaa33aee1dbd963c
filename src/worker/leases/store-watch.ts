/**
 * Watches the store on behalf of a worker. A store that was replaced, damaged or upgraded by a newer wf doesn't come back, so its
 * workers end; a missing one may have been moved for a moment and gets a few seconds. Also logs pauses of the worker's types.
 */
import type { Reader } from '../../engine/engine.ts'
import type { Clock } from '../../clock.ts'
import { type WfError, isStoreGone } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { PausedType } from '../../store/views.ts'
import { quoted } from '../../text/shell-words.ts'

/** Background work of a worker: sweeping, statistics. Runs as long as the lease manager. */
export interface Upkeep {
  start(): void
  stop(): Promise<void>
}

export interface StoreWatchOptions {
  store: Pick<Reader, 'version'>
  clock: Clock
  log: Logger
  ended: AbortSignal
}

const lookEveryMs = 1_000
const missingMs = 5_000

/** Resolves with the error to end with when the store is lost, or with null when `ended` aborts. Ignores other store errors. Never rejects. */
export async function untilLost({ store, clock, log, ended }: StoreWatchOptions): Promise<WfError | null> {
  let missingSince: number | null = null
  while (!ended.aborted) {
    const { error, isThere } = await lookAt(store)
    const now = clock.monotonic()
    if (error !== null && error.code !== 'store_missing') return error
    if (error !== null) {
      if (missingSince === null) log.warn(`${error.message}; it has ${missingMs / 1_000} s to come back`)
      missingSince ??= now
      if (now - missingSince >= missingMs) return error
    } else if (isThere && missingSince !== null) {
      log.info('the store is there again')
      missingSince = null
    }
    await clock.sleep(lookEveryMs, ended)
  }
  return null
}

async function lookAt(
  store: StoreWatchOptions['store'],
): Promise<{ error: WfError | null; isThere: boolean }> {
  try {
    await store.version()
    return { error: null, isThere: true }
  } catch (error) {
    return { error: isStoreGone(error) ? error : null, isThere: false }
  }
}

export interface PauseWatchOptions {
  store: Pick<Reader, 'pausedTypes' | 'now'>
  clock: Clock
  log: Logger
  /** Returns the types that this worker handles; may grow. */
  types(): readonly string[]
}

const everyMs = 1_000

/** Logs which of the worker's types are paused, from its start on, and when they are resumed: an idle worker explains itself. */
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
  // The lease manager reports a store that can't be read.
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
    /** Polls once more: a short run may end because of a pause. */
    async stop() {
      ended.abort()
      await running
      await tryToLook()
    },
  }
}

/** A pause whose end was moved is logged again. */
function isSame(known: PausedType | undefined, { since, untilAt }: PausedType): boolean {
  return known !== undefined && known.since === since && known.untilAt === untilAt
}

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
