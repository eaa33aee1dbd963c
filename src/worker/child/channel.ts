/** The child's end of the IPC channel: messages, log lines and outcome counts. */
import type { Clock } from '../../clock.ts'
import type { EngineEvents } from '../../engine/events.ts'
import { type LogLevel, type Logger, loggerOf } from '../../logger.ts'
import { boundedFields, boundedMessage } from '../../text/sanitize.ts'
import type { ToChild, ToSupervisor } from '../ipc.ts'
import { type OutcomeCounts, count, outcomeKey, stopped } from '../outcome-counts.ts'

export interface ChildChannel {
  /** Resolves when the message was sent or never can be. */
  send(message: ToSupervisor): Promise<void>
  onMessage(listener: (message: ToChild) => void): void
  /** Called when the supervisor is gone. */
  onGone(listener: () => void): void
}

/** Log lines in flight beyond which new ones are dropped: a stopped supervisor reads nothing. */
const mostWaiting = 500

export function processChannel(): ChildChannel {
  let waiting = 0
  return {
    send(message) {
      return new Promise((resolve) => {
        if (!process.connected || !process.send || (message.kind === 'log' && waiting > mostWaiting))
          return resolve()
        waiting++
        process.send(message, undefined, undefined, () => {
          waiting--
          resolve()
        })
      })
    },
    onMessage(listener) {
      process.on('message', (message: ToChild) => listener(message))
    },
    onGone(listener) {
      process.once('disconnect', listener)
    },
  }
}

/** Logs through the supervisor, which owns the stream and masks. Bounds messages and fields, so they can't fill the channel. */
export function channelLog(channel: ChildChannel, level: LogLevel): Logger {
  return loggerOf((at, message, { fields, bound }) => {
    void channel.send({
      kind: 'log',
      level: at,
      message: boundedMessage(message),
      fields: boundedFields(fields),
      bound,
    })
  }, level)
}

/** A busy worker has hundreds of exchanges a second. */
const everyMs = 25

/**
 * Reports outcome counts to the supervisor before the process runs anything else that may end it. A stopped job decides about the exit
 * code of the run, so it is reported with the exchange that stored it.
 */
export class OutcomeReport {
  readonly #parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }
  readonly #outcomes: OutcomeCounts = {}
  #waiting = false
  #changed = false
  #asked = false
  #toldStops = 0

  constructor(parts: { events: EngineEvents; clock: Clock; channel: ChildChannel }) {
    this.#parts = parts
  }

  start(): void {
    this.#parts.events.on('settled', ({ settlement, result }) => {
      const key = outcomeKey(settlement, result)
      if (key === null) return
      count(this.#outcomes, key)
      this.#changed = true
      this.#soon()
    })
  }

  /** Sends after the last settlement of an exchange, before the jobs that it claimed start. */
  #soon(): void {
    if (this.#asked) return
    this.#asked = true
    queueMicrotask(() => {
      this.#asked = false
      if (!this.#waiting || stopped(this.#outcomes) > this.#toldStops) this.send()
    })
  }

  send(): void {
    if (!this.#changed) return
    this.#changed = false
    this.#toldStops = stopped(this.#outcomes)
    void this.#parts.channel.send({ kind: 'outcomes', counts: this.#outcomes })
    if (this.#waiting) return
    this.#waiting = true
    const next = () => {
      this.#waiting = false
      this.send()
    }
    this.#parts.clock.after(everyMs, next, { unref: true })
  }
}
