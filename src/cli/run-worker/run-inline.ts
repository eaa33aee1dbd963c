/** `--inline`: everything in this one process, and what that cannot promise. */
import { hostname } from 'node:os'
import { isStoreGone } from '../../errors.ts'
import { systemRandom } from '../../random.ts'
import { handlersFor } from '../../worker/child/child.ts'
import { createInline, type Inline } from '../../worker/inline.ts'
import { drainMessage, startMessage } from '../../worker/supervisor/supervisor-messages.ts'
import { declarationOf } from '../../worker/handler/loaded-handler.ts'
import { count, outcomeKey, type OutcomeCounts } from '../../worker/outcome-counts.ts'
import { loadInline } from './load-inline.ts'
import { onUnaskedExit, wordsOfExitAmid } from './unexpected-exit.ts'
import type { Run, RunParts } from './run-options.ts'
import type { RunEnd } from './run-end.ts'

const lookEveryMs = 200

export async function runInline(parts: RunParts): Promise<Run> {
  const { engine, log, config, types } = parts
  const handlers = handlersFor(await loadInline(parts), { types })
  const counts: OutcomeCounts = {}
  engine.events.on('settled', ({ settlement, result }) => count(counts, outcomeKey(settlement, result)))
  const lease = { leaseMs: config.leaseMs, renewMs: config.renewalMs }
  const inline = createInline({
    ...parts,
    random: systemRandom,
    handlers,
    host: hostname(),
    pid: process.pid,
    lease,
  })
  log.info(
    'everything runs in one process: a handler that blocks it holds up all others, and one that ends it ends this worker; what it held starts elsewhere when its lease is over',
  )
  await inline.start()
  log.info(startMessage([...handlers.values()].map(declarationOf), parts))
  return new InlineRun({ ...parts, inline, counts, types: [...handlers.keys()] })
}

type Parts = Omit<RunParts, 'inline'> & { inline: Inline; counts: OutcomeCounts }

class InlineRun implements Run {
  readonly ended: Promise<RunEnd>
  readonly #parts: Parts
  readonly #over = new AbortController()
  #end: (why: RunEnd['why'], allReturned: boolean) => void = () => {}
  #draining = false
  #stopping = false

  constructor(parts: Parts) {
    const { counts, inline } = parts
    this.#parts = parts
    const unguard = onUnaskedExit(process, (code) => parts.report(wordsOfExitAmid(code, inline.running())))
    this.ended = new Promise((resolve, reject) => {
      // A stop that overtakes a drain ends what the drain waits for: it is a stop all the same.
      this.#end = (why, allReturned) =>
        resolve({ why: this.#stopping ? 'stopped' : why, counts, allReturned })
      void inline.lost.then(async (error) => {
        this.#draining = true
        this.#over.abort()
        await inline.stop()
        reject(error)
      })
    })
    this.ended.then(unguard, unguard)
    void inline.drainAsked.then(() => this.#drainRequested())
    const panic = (error: unknown) => inline.panic(error)
    process.on('uncaughtException', panic)
    process.on('unhandledRejection', panic)
    void inline.finished.then((reason) => this.#leave(reason === 'max_jobs' ? 'max_jobs' : 'panic'))
    void this.#lookForTheEnd()
  }

  drain(): void {
    const { log, graceMs } = this.#parts
    if (this.#draining) return
    log.info(
      `stopping: nothing new starts, running handlers have ${graceMs / 1000} s; Ctrl-C again stops at once`,
    )
    void this.#leave('drained')
  }

  #drainRequested(): void {
    const { log, graceMs } = this.#parts
    if (this.#draining) return
    log.info(drainMessage(graceMs))
    void this.#leave('drained')
  }

  stopNow(): void {
    const { clock, inline, log } = this.#parts
    if (this.#stopping) return
    log.info('stopping at once')
    this.#stopping = true
    this.#draining = true
    this.#over.abort()
    const stopped = inline.stop().then(() => this.#end('stopped', true))
    void Promise.race([stopped, clock.sleep(1000)]).then(() => this.#end('stopped', false))
  }

  async #leave(why: RunEnd['why']): Promise<void> {
    if (this.#draining) return
    this.#draining = true
    this.#over.abort()
    const { clock, inline, graceMs } = this.#parts
    const drained = inline.drain(graceMs).then(() => this.#end(why, true))
    await Promise.race([drained, clock.sleep(graceMs + 900)])
    this.#end(why, false)
  }

  async #lookForTheEnd(): Promise<void> {
    const { clock, isEmpty, types, log } = this.#parts
    while (isEmpty && !this.#over.signal.aborted) {
      const empty = await isEmpty(types).catch((error: Error) => {
        if (!isStoreGone(error)) log.warn(`looking for jobs that are left failed: ${error.message}`)
        return false
      })
      if (empty) return this.#leave('empty')
      await clock.sleep(lookEveryMs, this.#over.signal)
    }
  }
}
